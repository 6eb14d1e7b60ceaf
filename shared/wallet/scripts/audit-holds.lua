#!lua flags=no-writes
-- Reads the open holds of one shard, as they are at one moment.
--
-- Works on {s}:holds and {s}:request:<request>.
-- ARGV: none
-- Returns OK, then for each hold: request, account, amount, progress.

local reply = {'OK'}
for _, request in ipairs(redis.call('ZRANGE', holds_key, 0, -1)) do
  local hold = read_request(request)
  if hold then append(reply, {request, hold.account, text(hold.amount), text(hold.progress)}) end
end
return reply
