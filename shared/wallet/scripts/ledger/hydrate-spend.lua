#!lua flags=allow-oom
-- Loads from the ledger what a key with a spending limit has spent, once per epoch of its shard. The ledger's response
-- includes every charge made before it was asked. Of the requests running at that time, only those that were reserved
-- in this epoch under the current limit are counted.
--
-- Works on {s}:meta and {s}:spend:<key id>.
-- requires: numbers, spending, epoch
-- arguments:
--   key            the key's id
--   day            days since 1970-01-01
--   daySpent
--   month          as 202611
--   monthSpent
--   total          all-time spending
-- Returns OK or EXISTS.

local key_name, epoch = spend_key(order.key), read_epoch()
if redis.call('HGET', key_name, 'epoch') == epoch then return {status = 'EXISTS'} end

redis.call('DEL', key_name)
redis.call('HSET', key_name, 'epoch', epoch, 'held', '0',
  'day', text(amount(order.day)), 'daySpent', text(amount(order.daySpent)),
  'month', text(amount(order.month)), 'monthSpent', text(amount(order.monthSpent)), 'total', text(amount(order.total)))
return {status = 'OK'}
