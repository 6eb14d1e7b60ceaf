#!lua flags=allow-oom
-- Returns what a reserve would return now, computed by the same functions. Holds no money; counts as a request.
--
-- Works on {s}:meta, {s}:key:<hash> and, of the key's account, {s}:wallet:<account> and {s}:spend:<key id>.
-- requires: reservation, limits, spending, wallet, leases
-- arguments:
--   keyHash
--   model
--   amount
--   promptPart
--   outputPrice
--   outputCap
--   lowestCap
--   identity
--   defaultLimits
--   recalled         all of them are described in reservation.lua
-- Returns one of
--   OK available held cap amount         a reserve would hold this amount and grant this cap
--   SHORT available held                 the balance is insufficient
--   KEY_SHORT available held left period     the balance is sufficient, but the key's spending limit is not
--   RECOVERING | KEY_UNKNOWN | KEY_INACTIVE | KEY_EXPIRED | EMAIL_UNPROVEN | PROJECT_ARCHIVED | MODEL_NOT_ALLOWED
--   LIMITED what scope limit waitMs      the request limit is exceeded
--   MISS account key                     not in this Redis; request it with ask-ledger.lua
-- and, if a wallet was read, the rates as described in limits.lua. SHORT, KEY_SHORT and LIMITED also have `leasesOf`, as
-- described in reserve.lua.

local refusal, key = check_reservation(arguments)
if refusal then return refusal end
local wallet = read_wallet(key.account, key.id)
local limits = read_limits(key.limits, arguments.defaultLimits)
local spend = limits.spend and read_spend(key.id, key.epoch)
if not wallet or (limits.spend and not spend) then
  return {status = 'MISS', account = key.account, key = limits.spend and key.id or ''}
end

local rates = read_rates(wallet)
local exceeded = check_rates(rates, limits, unheld)
if exceeded then return with_leases(with_rates(exceeded, rates, limits), key.account) end

local funds, period = wallet.available, nil
if spend then funds, period = spendable(wallet.available, spend, limits.spend) end
local cap, wanted = grant_with_leases(funds, arguments, key.account)
local reply = {status = 'SHORT', available = text(wallet.available), held = text(wallet.held)}
if cap then
  reply.status, reply.cap, reply.amount = 'OK', text(cap), text(wanted)
elseif period and grant(wallet.available, arguments) then
  reply.status, reply.left, reply.period = 'KEY_SHORT', text(funds), period
end
if not cap then with_leases(reply, key.account) end
if not reply.leasesOf then count_unheld(wallet, rates, limits) end
return with_rates(reply, rates, limits)
