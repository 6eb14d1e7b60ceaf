#!lua flags=allow-oom
-- What a reserve would answer now, by the same functions. Holds nothing; counts as a request.
--
-- Works on {s}:meta, {s}:key:<hash> and, of the key's account, {s}:wallet:<account> and {s}:spend:<key id>.
-- ARGV: as read_order tells
-- Returns one of
--   OK available held cap amount rate     a reserve would hold this amount and grant this cap
--   SHORT available held rate         not enough
--   KEY_SHORT available held left period rate     the wallet would do, but the key may not spend as much
--   RECOVERING | KEY_UNKNOWN | KEY_INACTIVE | KEY_EXPIRED | EMAIL_UNPROVEN | MODEL_NOT_ALLOWED
--   LIMITED what scope limit milliseconds rate     more than the limit of requests
--   MISS account keyId                not known in this Redis; ask-ledger.lua asks for it
-- where rate is what describe_rate tells.

local order = read_order(ARGV)
local refusal, key = judge_order(order)
if refusal then return {refusal} end
local wallet = read_wallet(key.account, key.id)
local limits = read_limits(key.limits, order.default_limits)
local spend = limits.spend and read_spend(key.id, key.epoch)
if not wallet or (limits.spend and not spend) then return {'MISS', key.account, limits.spend and key.id or ''} end

local rate = read_rate(wallet)
local exceeded = judge_rate(rate, limits, unheld)
if exceeded then return append(exceeded, {describe_rate(rate, limits)}) end
count_unheld(wallet, rate)
local rates = describe_rate(rate, limits)

local funds, period = wallet.available, nil
if spend then funds, period = spendable(wallet.available, spend, limits.spend) end
local cap, wanted = grant(funds, order)
local available, held = text(wallet.available), text(wallet.held)
if not cap and period and grant(wallet.available, order) then
  return {'KEY_SHORT', available, held, text(funds), period, rates}
end
if not cap then return {'SHORT', available, held, rates} end
return {'OK', available, held, text(cap), text(wanted), rates}
