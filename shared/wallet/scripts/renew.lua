#!lua flags=allow-oom
-- Stores what a running request has cost so far and moves its deadline, so that a proxy that dies is charged for what
-- it delivered. Makes a hold anew that a failover has lost, and raises one that the output has outgrown.
--
-- KEYS: 1 {s}:meta  2 {s}:hold:<request>  3 {s}:holds  4 {s}:done:<request>  and {s}:wallet:<account>
-- ARGV: 1 request id  2 account  3 key id  4 amount to hold in all  5 cost so far  6 detail of that cost
--       7 milliseconds until the hold may be expired
-- Returns one of
--   OK epoch            held until the new deadline
--   GONE outcome        settled by others: the stream must stop
--   SHORT available     the deadline has moved, but the wallet cannot cover the higher amount
--   MISS                no wallet in this Redis: nothing could be stored, and the ledger has been asked for it

local request, account, key_id = ARGV[1], ARGV[2], ARGV[3]
local wanted, progress = amount(ARGV[4]), amount(ARGV[5])
local detail, lease_ms = ARGV[6], amount(ARGV[7])

local outcome = redis.call('GET', KEYS[4])
if outcome then return {'GONE', outcome} end
local wallet = read_wallet(account)
if not wallet then
  ask_ledger(account, '')
  return {'MISS'}
end

local hold = read_hold(request)
local more = wanted - (hold and hold.amount or 0)
local short = hold and more > math.max(wallet.available, 0)
if more > 0 and not short then
  wallet.available = wallet.available - more
  wallet.held = wallet.held + more
  write_wallet(wallet)
  redis.call('HSET', KEYS[2], 'amount', text(wanted))
  -- What the output has outgrown is not judged by the key's limit again: the answer is under way.
  if hold then hold_for_key(hold, more) end
end
redis.call('HSET', KEYS[2], 'account', account, 'key', key_id, 'progress', text(progress), 'detail', detail)
redis.call('ZADD', KEYS[3], text(now_ms() + lease_ms), request)
if short then return {'SHORT', text(wallet.available)} end
return {'OK', redis.call('HGET', KEYS[1], 'epoch') or '0'}
