#!lua flags=allow-oom
-- Loads from the ledger what a key with a spending limit has spent, once per epoch of its shard. The ledger's response
-- includes every charge made before it was asked. Of the requests running at that time, only those that were reserved
-- in this epoch under the current limit are counted.
--
-- Works on {s}:meta and {s}:spend:<key id>.
-- requires: numbers, spending, epoch
-- arguments:
--   key            the key's id
--   windows        the number of the current window of each limit that has one, by the limit's name
--   spent          what was spent in each, or in all time, by the limit's name
-- Returns OK or EXISTS.

local key_name, epoch = spend_key(arguments.key), read_epoch()
if redis.call('HGET', key_name, 'epoch') == epoch then return {status = 'EXISTS'} end

local fields = {'epoch', epoch, 'held', '0'}
local function add(name, number)
  fields[#fields + 1], fields[#fields + 2] = name, text(amount(number))
end
for _, limit in ipairs(spend_limits) do
  if window_of(limit.window) then add(limit.name, arguments.windows[limit.name]) end
  add(limit.counted, arguments.spent[limit.name])
end
redis.call('DEL', key_name)
redis.call('HSET', key_name, unpack(fields))
return {status = 'OK'}
