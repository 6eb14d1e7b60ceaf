#!lua
-- Checks the key and its limits, and moves what the request may cost at most from `available` to `held`. Without
-- `allow-oom`: when Redis is out of memory no new request starts, so that running ones can still settle.
--
-- KEYS: 1 {s}:meta  2 {s}:key:<hash>  3 {s}:hold:<request>  4 {s}:holds  5 {s}:done:<request>
--       6 {s}:once:<key and Idempotency-Key>, any name where there is none
--       and, named by the key's account, {s}:wallet:<account> and those of limits.lua
-- ARGV: 1 request id  2 model  3 amount to hold at the full output cap  4 the part of it that is the prompt
--       5 pico-USD for one more output token, all choices together  6 output cap  7 lowest cap that may be granted
--       instead, 0 if it may not be lowered  8 detail  9 milliseconds until the hold may be expired
--       10 identity of the Redis that the caller is connected to
--       11 a key's default limits: requests and tokens a minute, streams at once  12 1 if the answer is streamed
--       13 tokens to count until the real ones are known  14 digest of the body, empty without an Idempotency-Key
-- Returns one of
--   OK account keyId cap amount epoch rate     held, now or by an earlier delivery of the same request
--   DONE outcome                     settled or released before: the request must not run
--   RECOVERING | KEY_UNKNOWN | KEY_INACTIVE | KEY_EXPIRED | MODEL_NOT_ALLOWED
--   ANSWERED answer                  a request with the same Idempotency-Key and body was; empty if it was too large
--   IN_PROGRESS | REUSED             such a request is running, or had another body
--   MISS account                     not known in this Redis; the ledger has been asked
--   LIMITED what scope limit milliseconds rate      more than the limit of requests, tokens or streams
--   SHORT available held rate        not enough
--   KEY_SHORT left period rate       the wallet would do, but the key may not spend as much
-- where rate is what describe_rate tells.

local request, model = ARGV[1], ARGV[2]
local order = {
  amount = amount(ARGV[3]), prompt_part = amount(ARGV[4]), output_price = amount(ARGV[5]),
  cap = amount(ARGV[6]), lowest_cap = amount(ARGV[7]),
}
local detail, lease_ms = ARGV[8], amount(ARGV[9])
local stream, wanted_rate = ARGV[12] == '1', {requests = 1, tokens = amount(ARGV[13])}
local body_digest = ARGV[14]

local refusal, key = judge_key(KEYS[1], KEYS[2], model, ARGV[10])
if refusal then return {refusal} end

if redis.call('EXISTS', KEYS[3], KEYS[5]) > 0 then
  local outcome = redis.call('GET', KEYS[5])
  if outcome then return {'DONE', outcome} end
  local granted = redis.call('HMGET', KEYS[3], 'cap', 'amount')
  return {'OK', key.account, key.id, granted[1], granted[2], key.epoch, ';'}
end
if body_digest ~= '' then
  local earlier = judge_repetition(KEYS[6], body_digest)
  if earlier then return earlier end
end

local wallet = read_wallet(key.account)
local limits = read_limits(key.limits, ARGV[11])
local spend = limits.spend and read_spend(key.id, key.epoch)
if not wallet or (limits.spend and not spend) then
  ask_ledger(key.account, limits.spend and key.id or '')
  return {'MISS', key.account}
end
local rate = read_rate(key.account, key.id, stream)
local exceeded = judge_rate(rate, limits, wanted_rate)
if exceeded then return append(exceeded, {describe_rate(rate, limits)}) end

local funds, period = wallet.available, nil
if spend then funds, period = spendable(wallet.available, spend, limits.spend) end
local cap, wanted = grant(funds, order)
if not cap then
  local rates = describe_rate(rate, limits)
  if period and grant(wallet.available, order) then return {'KEY_SHORT', text(funds), period, rates} end
  return {'SHORT', text(wallet.available), text(wallet.held), rates}
end

wallet.available = wallet.available - wanted
wallet.held = wallet.held + wanted
write_wallet(wallet)
local hold = {'account', key.account, 'key', key.id, 'amount', text(wanted), 'progress', '0', 'detail', detail,
  'cap', text(cap), 'tokens', text(wanted_rate.tokens), 'countedAt', text(rate.now)}
if stream then append(hold, {'stream', '1'}) end
if spend then
  append(hold, {'capped', spend.epoch})
  redis.call('HINCRBY', spend_key(key.id), 'held', text(wanted))
end
redis.call('HSET', KEYS[3], unpack(hold))
redis.call('ZADD', KEYS[4], text(now_ms() + lease_ms), request)
count_request(rate, wanted_rate)
if body_digest ~= '' then begin_once(KEYS[6], body_digest, request) end
return {'OK', key.account, key.id, text(cap), text(wanted), key.epoch, describe_rate(rate, limits)}
