#!lua
-- Checks the key and its limits, and moves what the request may cost at most from `available` to `held`. Without
-- `allow-oom`: when Redis is out of memory no new request starts, so that running ones can still settle.
--
-- Works on {s}:meta, {s}:key:<hash>, {s}:request:<request>, {s}:holds, {s}:once:<digest>, {s}:wallet:<account> and
-- {s}:spend:<key id>.
-- requires: order, limits, spending, hold, idempotency, usage
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
--   concurrentStreams         these as order.lua tells
--   request
--   detail                    what to charge for if nobody settles
--   leaseMs                   until the hold may be expired
--   tokens                    to count until the real ones are known
--   idempotencyKeyDigest      empty where there is no Idempotency-Key
--   bodyDigest
-- Returns one of
--   OK account key cap amount epoch     held, now or by an earlier delivery of the same request; if now, also `left`, what
--                                       the key may still spend, and `streamsLeft`, how many more requests may run at once
--                                       where that is limited
--   DONE outcome                        settled or released before: the request must not run
--   RECOVERING | KEY_UNKNOWN | KEY_INACTIVE | KEY_EXPIRED | EMAIL_UNPROVEN | MODEL_NOT_ALLOWED
--   ANSWERED answer                     a request with the same Idempotency-Key and body was; empty if it was too large
--   IN_PROGRESS | REUSED                such a request is running, or had another body
--   MISS account                        not known in this Redis; the ledger has been asked
--   LIMITED what scope limit waitMs     more than the limit of requests, tokens or requests at once
--   SHORT available held                not enough
--   KEY_SHORT left period               the wallet is sufficient, but the key may not spend as much
-- and, from ANSWERED on and with a hold made now, the rates as limits.lua describes them.

local request, digest = order.request, order.idempotencyKeyDigest
local wanted_rate = {requests = 1, tokens = amount(order.tokens), streams = 1}
local lease_ms = amount(order.leaseMs)

local refusal, key = judge_order(order)
if refusal then return refusal end

local earlier_hold, outcome = read_request(request)
if outcome then return {status = 'DONE', outcome = outcome} end
if earlier_hold then
  return {
    status = 'OK', account = key.account, key = key.id, cap = text(earlier_hold.cap or order.outputCap),
    amount = text(earlier_hold.amount), epoch = key.epoch,
  }
end

local wallet = read_wallet(key.account, key.id, true)
local limits = read_limits(key.limits, order)
local spend = limits.spend and read_spend(key.id, key.epoch)
if not wallet or (limits.spend and not spend) then
  ask_ledger({account = key.account, key = limits.spend and key.id or '', shown = ''})
  return {status = 'MISS', account = key.account}
end
local repetition = digest ~= '' and judge_repetition(digest, order.bodyDigest)
local rates = read_rates(wallet)
local exceeded = judge_rates(rates, limits, repetition and unheld or wanted_rate)
if exceeded then return with_rates(exceeded, rates, limits) end
if repetition then
  count_unheld(wallet, rates, limits)
  return with_rates(repetition, rates, limits)
end

local funds, period = wallet.available, nil
if spend then funds, period = spendable(wallet.available, spend, limits.spend) end
local cap, wanted = grant(funds, order)
if not cap then
  count_unheld(wallet, rates, limits)
  local short = {status = 'SHORT', available = text(wallet.available), held = text(wallet.held)}
  if period and grant(wallet.available, order) then
    short = {status = 'KEY_SHORT', left = text(funds), period = period}
  end
  return with_rates(short, rates, limits)
end

wallet.available = wallet.available - wanted
wallet.held = wallet.held + wanted
write_wallet(wallet, with_request(wallet, rates, limits, wanted_rate))
if spend then redis.call('HINCRBY', spend_key(key.id), 'held', text(wanted)) end
write_hold(request, {
  account = key.account, key = key.id, amount = wanted, progress = 0, cap = cap, atOnce = true,
  tokens = wanted_rate.tokens, countedAt = now_ms(), keyTokenMs = token_ms(limits.key),
  accountTokenMs = token_ms(limits.account), capped = spend and spend.epoch, detail = order.detail,
})
redis.call('ZADD', holds_key, text(now_ms() + lease_ms), request)
if digest ~= '' then begin_once(digest, order.bodyDigest, request) end
return with_rates({
  status = 'OK', account = key.account, key = key.id, cap = text(cap), amount = text(wanted), epoch = key.epoch,
  left = text(funds - wanted), streamsLeft = streams_left(rates, limits),
}, rates, limits)
