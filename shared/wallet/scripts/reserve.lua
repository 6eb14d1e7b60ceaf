#!lua
-- Checks the key, and moves what the request may cost at most from `available` to `held`. Without `allow-oom`: when
-- Redis is out of memory no new request starts, so that running ones can still settle.
--
-- KEYS: 1 {s}:meta  2 {s}:key:<hash>  3 {s}:hold:<request>  4 {s}:holds  5 {s}:done:<request>
--       and, named by the key's account, {s}:wallet:<account>
-- ARGV: 1 request id  2 model  3 amount to hold at the full output cap  4 the part of it that is the prompt
--       5 pico-USD for one more output token, all choices together  6 output cap  7 lowest cap that may be granted
--       instead, 0 if it may not be lowered  8 detail  9 milliseconds until the hold may be expired
--       10 identity of the Redis that the caller is connected to
-- Returns one of
--   OK account keyId cap amount epoch   held, now or by an earlier delivery of the same request
--   DONE outcome                     settled or released before: the request must not run
--   RECOVERING | KEY_UNKNOWN | KEY_INACTIVE | KEY_EXPIRED | MODEL_NOT_ALLOWED
--   MISS account                     no wallet in this Redis; the ledger has been asked for it
--   SHORT available held             not enough

local request, model = ARGV[1], ARGV[2]
local order = {
  amount = amount(ARGV[3]), prompt_part = amount(ARGV[4]), output_price = amount(ARGV[5]),
  cap = amount(ARGV[6]), lowest_cap = amount(ARGV[7]),
}
local detail, lease_ms = ARGV[8], amount(ARGV[9])

local refusal, key = judge_key(KEYS[1], KEYS[2], model, ARGV[10])
if refusal then return {refusal} end

local outcome = redis.call('GET', KEYS[5])
if outcome then return {'DONE', outcome} end
local granted = redis.call('HMGET', KEYS[3], 'cap', 'amount')
if granted[1] then return {'OK', key.account, key.id, granted[1], granted[2], key.epoch} end

local wallet = read_wallet(key.account)
if not wallet then
  ask_for_wallet(key.account)
  return {'MISS', key.account}
end

local cap, wanted = grant(wallet.available, order)
if not cap then return {'SHORT', text(wallet.available), text(wallet.held)} end

wallet.available = wallet.available - wanted
wallet.held = wallet.held + wanted
write_wallet(wallet)
redis.call('HSET', KEYS[3], 'account', key.account, 'key', key.id,
  'amount', text(wanted), 'progress', '0', 'detail', detail, 'cap', text(cap))
redis.call('ZADD', KEYS[4], text(now_ms() + lease_ms), request)
return {'OK', key.account, key.id, text(cap), text(wanted), key.epoch}
