#!lua flags=allow-oom
-- What a reserve would answer now, by the same functions. Holds nothing; counts as a request.
--
-- Works on {s}:meta, {s}:key:<hash> and, of the key's account, {s}:wallet:<account> and {s}:spend:<key id>.
-- requires: order, limits, spending, wallet
-- arguments:
--   keyHash
--   model
--   amount
--   promptPart
--   outputPrice
--   outputCap
--   lowestCap
--   identity
--   requestsPerMinute
--   tokensPerMinute
--   concurrentStreams    all of them as order.lua tells
-- Returns one of
--   OK available held cap amount         a reserve would hold this amount and grant this cap
--   SHORT available held                 not enough
--   KEY_SHORT available held left period     the wallet is sufficient, but the key may not spend as much
--   RECOVERING | KEY_UNKNOWN | KEY_INACTIVE | KEY_EXPIRED | EMAIL_UNPROVEN | MODEL_NOT_ALLOWED
--   LIMITED what scope limit waitMs      more than the limit of requests
--   MISS account key                     not known in this Redis; ask-ledger.lua asks for it
-- and, where a wallet was read, the rates as limits.lua describes them.

local refusal, key = judge_order(order)
if refusal then return refusal end
local wallet = read_wallet(key.account, key.id)
local limits = read_limits(key.limits, order)
local spend = limits.spend and read_spend(key.id, key.epoch)
if not wallet or (limits.spend and not spend) then
  return {status = 'MISS', account = key.account, key = limits.spend and key.id or ''}
end

local rates = read_rates(wallet)
local exceeded = judge_rates(rates, limits, unheld)
if exceeded then return with_rates(exceeded, rates, limits) end
count_unheld(wallet, rates, limits)

local funds, period = wallet.available, nil
if spend then funds, period = spendable(wallet.available, spend, limits.spend) end
local cap, wanted = grant(funds, order)
local reply = {status = 'SHORT', available = text(wallet.available), held = text(wallet.held)}
if cap then
  reply.status, reply.cap, reply.amount = 'OK', text(cap), text(wanted)
elseif period and grant(wallet.available, order) then
  reply.status, reply.left, reply.period = 'KEY_SHORT', text(funds), period
end
return with_rates(reply, rates, limits)
