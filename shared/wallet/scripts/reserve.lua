#!lua
-- Checks the key and its limits, and moves what the request may cost at most from `available` to `held`. Without
-- `allow-oom`: when Redis is out of memory no new request starts, so that running ones can still settle.
--
-- Works on {s}:meta, {s}:key:<hash>, {s}:request:<request>, {s}:holds, {s}:once:<use>, {s}:wallet:<account> and
-- {s}:spend:<key id>.
-- ARGV: 1 to 9 as read_order tells  10 request id  11 detail  12 milliseconds until the hold may be expired
--       13 tokens to count until the real ones are known
--       14 what names the Idempotency-Key, empty where there is none  15 digest of the body
-- Returns one of
--   OK account keyId cap amount epoch rate     held, now or by an earlier delivery of the same request
--   DONE outcome                     settled or released before: the request must not run
--   RECOVERING | KEY_UNKNOWN | KEY_INACTIVE | KEY_EXPIRED | EMAIL_UNPROVEN | MODEL_NOT_ALLOWED
--   ANSWERED answer rate             a request with the same Idempotency-Key and body was; empty if it was too large
--   IN_PROGRESS rate | REUSED rate   such a request is running, or had another body
--   MISS account                     not known in this Redis; the ledger has been asked
--   LIMITED what scope limit milliseconds rate      more than the limit of requests, tokens or requests at once
--   SHORT available held rate        not enough
--   KEY_SHORT left period rate       the wallet would do, but the key may not spend as much
-- where rate is what describe_rate tells.

local order, request, lease_ms = read_order(ARGV), ARGV[10], amount(ARGV[12])
local wanted_rate = {1, amount(ARGV[13]), 1}
local once, body_digest = ARGV[14], ARGV[15]

local refusal, key = judge_order(order)
if refusal then return {refusal} end

local earlier_hold, outcome = read_request(request)
if outcome then return {'DONE', outcome} end
if earlier_hold then
  return {'OK', key.account, key.id, text(earlier_hold.cap or order.cap), text(earlier_hold.amount), key.epoch, ';'}
end

local wallet = read_wallet(key.account, key.id, true)
local limits = read_limits(key.limits, order.default_limits)
local spend = limits.spend and read_spend(key.id, key.epoch)
if not wallet or (limits.spend and not spend) then
  ask_ledger(key.account, limits.spend and key.id or '')
  return {'MISS', key.account}
end
local repetition = once ~= '' and judge_repetition(once, body_digest)
local rate = read_rate(wallet)
local exceeded = judge_rate(rate, limits, repetition and unheld or wanted_rate)
if exceeded then return append(exceeded, {describe_rate(rate, limits)}) end
if repetition then
  count_unheld(wallet, rate)
  return append(repetition, {describe_rate(rate, limits)})
end

local funds, period = wallet.available, nil
if spend then funds, period = spendable(wallet.available, spend, limits.spend) end
local cap, wanted = grant(funds, order)
if not cap then
  count_unheld(wallet, rate)
  local rates = describe_rate(rate, limits)
  if period and grant(wallet.available, order) then return {'KEY_SHORT', text(funds), period, rates} end
  return {'SHORT', text(wallet.available), text(wallet.held), rates}
end

wallet.available = wallet.available - wanted
wallet.held = wallet.held + wanted
write_wallet(wallet, with_request(wallet, rate, wanted_rate))
if spend then redis.call('HINCRBY', spend_key(key.id), 'held', text(wanted)) end
write_hold({
  request = request, account = key.account, key = key.id, amount = wanted, progress = 0, cap = cap, at_once = true,
  tokens = wanted_rate[2], counted_at = rate.now, capped = spend and spend.epoch, detail = ARGV[11],
})
redis.call('ZADD', holds_key, text(now_ms() + lease_ms), request)
if once ~= '' then begin_once(once, body_digest, request) end
return {'OK', key.account, key.id, text(cap), text(wanted), key.epoch, describe_rate(rate, limits)}
