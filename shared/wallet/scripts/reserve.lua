#!lua
-- Checks the key, and moves what the request may cost at most from `available` to `held`. Without `allow-oom`: when
-- Redis is out of memory no new request starts, so that running ones can still settle.
--
-- KEYS: 1 {s}:meta  2 {s}:key:<hash>  3 {s}:hold:<request>  4 {s}:holds  5 {s}:done:<request>
--       and, named by the key's account, {s}:wallet:<account>
-- ARGV: 1 request id  2 model  3 amount to hold at the full output cap  4 the part of it that is the prompt
--       5 pico-USD for one more output token, all choices together  6 output cap  7 lowest cap that may be granted
--       instead, 0 if it may not be lowered  8 detail  9 milliseconds until the hold may be expired
-- Returns one of
--   OK account keyId cap amount epoch   held, now or by an earlier delivery of the same request
--   DONE outcome                     settled or released before: the request must not run
--   RECOVERING | KEY_UNKNOWN | KEY_INACTIVE | KEY_EXPIRED | MODEL_NOT_ALLOWED
--   MISS account                     no wallet in this Redis; the ledger has been asked for it
--   SHORT available held             not enough

local request, model = ARGV[1], ARGV[2]
local wanted, prompt_part, output_price = amount(ARGV[3]), amount(ARGV[4]), amount(ARGV[5])
local cap, lowest_cap = amount(ARGV[6]), amount(ARGV[7])
local detail, lease_ms = ARGV[8], amount(ARGV[9])

local meta = redis.call('HMGET', KEYS[1], 'mode', 'epoch')
if meta[1] ~= 'open' then return {'RECOVERING'} end

local now = now_ms()
local key = redis.call('HMGET', KEYS[2], 'account', 'id', 'active', 'expiresAt', 'models')
local account, key_id = key[1], key[2]
if not account then return {'KEY_UNKNOWN'} end
if key[4] ~= '' and tonumber(key[4]) <= now then return {'KEY_EXPIRED'} end
if key[3] ~= '1' then return {'KEY_INACTIVE'} end
if key[5] ~= '' and not string.find(key[5], '\n' .. model .. '\n', 1, true) then return {'MODEL_NOT_ALLOWED'} end

local outcome = redis.call('GET', KEYS[5])
if outcome then return {'DONE', outcome} end
local granted = redis.call('HMGET', KEYS[3], 'cap', 'amount')
if granted[1] then return {'OK', account, key_id, granted[1], granted[2], meta[2]} end

local wallet = read_wallet(account)
if not wallet then
  ask_for_wallet(account)
  return {'MISS', account}
end

if wanted > wallet.available and lowest_cap > 0 and output_price > 0 then
  cap = math.min(cap, math.floor((wallet.available - prompt_part) * 1000 / output_price))
  wanted = prompt_part + math.ceil(cap * output_price / 1000)
  if wanted > wallet.available then
    -- A quotient of doubles may be one too high.
    cap = cap - 1
    wanted = prompt_part + math.ceil(cap * output_price / 1000)
  end
  if cap < lowest_cap then wanted = math.huge end
end
if wanted > wallet.available or wallet.available <= 0 then
  return {'SHORT', text(wallet.available), text(wallet.held)}
end

wallet.available = wallet.available - wanted
wallet.held = wallet.held + wanted
write_wallet(wallet)
redis.call('HSET', KEYS[3],
  'account', account, 'key', key_id, 'amount', text(wanted), 'progress', '0', 'detail', detail, 'cap', text(cap))
redis.call('ZADD', KEYS[4], text(now + lease_ms), request)
return {'OK', account, key_id, text(cap), text(wanted), meta[2]}
