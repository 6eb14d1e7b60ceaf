#!lua flags=no-writes
-- What a reserve would answer now, by the same functions; Redis itself forbids this script to change anything.
--
-- Works on {s}:meta, {s}:key:<hash> and, of the key's account, {s}:wallet:<account> and {s}:spend:<key id>.
-- ARGV: as read_order tells
-- Returns one of
--   OK available held cap amount     a reserve would hold this amount and grant this cap
--   SHORT available held             not enough
--   KEY_SHORT available held left period     the wallet would do, but the key may not spend as much
--   RECOVERING | KEY_UNKNOWN | KEY_INACTIVE | KEY_EXPIRED | EMAIL_UNPROVEN | MODEL_NOT_ALLOWED
--   MISS account keyId               not known in this Redis; ask-ledger.lua asks for it

local order = read_order(ARGV)
local refusal, key = judge_order(order)
if refusal then return {refusal} end
local wallet = read_wallet(key.account)
local limits = read_limits(key.limits, order.default_limits)
local spend = limits.spend and read_spend(key.id, key.epoch)
if not wallet or (limits.spend and not spend) then return {'MISS', key.account, limits.spend and key.id or ''} end

local funds, period = wallet.available, nil
if spend then funds, period = spendable(wallet.available, spend, limits.spend) end
local cap, wanted = grant(funds, order)
local available, held = text(wallet.available), text(wallet.held)
if not cap and period and grant(wallet.available, order) then
  return {'KEY_SHORT', available, held, text(funds), period}
end
if not cap then return {'SHORT', available, held} end
return {'OK', available, held, text(cap), text(wanted)}
