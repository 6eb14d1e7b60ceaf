#!lua flags=allow-oom
-- Stores what a running request has delivered so far and moves its deadline, so that it is charged for that if its proxy
-- dies. Restores a hold that a failover has lost, and raises one that the output is about to outgrow.
--
-- The progress never falls: a renewal may arrive late, behind a newer one.
--
-- Works on {s}:meta, {s}:request:<request>, {s}:holds, {s}:wallet:<account> and {s}:spend:<key id>.
-- ARGV: 1 request id  2 account  3 key id  4 amount to hold in all  5 cost of what was delivered  6 detail of that cost
--       7 milliseconds until the hold may be expired
-- Returns one of
--   OK epoch            held until the new deadline
--   GONE outcome        settled by others: the stream must stop
--   SHORT available     the deadline has moved, but the wallet cannot cover the higher amount
--   MISS                no wallet in this Redis: nothing could be stored, and the ledger has been asked for it

local request, account, key_id = ARGV[1], ARGV[2], ARGV[3]
local wanted, progress = amount(ARGV[4]), amount(ARGV[5])
local detail, lease_ms = ARGV[6], amount(ARGV[7])

local hold, outcome = read_request(request)
if outcome then return {'GONE', outcome} end
local wallet = read_wallet(account)
if not wallet then
  ask_ledger(account, '')
  return {'MISS'}
end

local short = hold and wanted - hold.amount > math.max(wallet.available, 0)
local lost = {request = request, account = account, key = key_id, amount = 0}
-- What the output has outgrown is not judged by the key's limit again: the answer is under way.
if not short then raise_hold(wallet, hold or lost, wanted) end
hold = hold or lost
if progress >= (hold.progress or 0) then hold.progress, hold.detail = progress, detail end
write_hold(hold)
redis.call('ZADD', holds_key, text(now_ms() + lease_ms), request)
if short then return {'SHORT', text(wallet.available)} end
return {'OK', redis.call('HGET', meta_key, 'epoch') or '0'}
