#!lua flags=allow-oom
-- Takes over from the ledger what a key with a spending limit has spent, once in each epoch of its shard. Every charge
-- that was made before the ledger was asked is in its answer; of the requests that were running then, only those are
-- counted that were reserved in this epoch with the limit in force.
--
-- Works on {s}:meta and {s}:spend:<key id>.
-- requires: numbers, spending, epoch
-- arguments:
--   key            its id
--   day            as days since 1970-01-01
--   daySpent
--   month          as 202611
--   monthSpent
--   total          spent in all
-- Returns OK or EXISTS.

local key_name, epoch = spend_key(order.key), read_epoch()
if redis.call('HGET', key_name, 'epoch') == epoch then return {status = 'EXISTS'} end

redis.call('DEL', key_name)
redis.call('HSET', key_name, 'epoch', epoch, 'held', '0',
  'day', text(amount(order.day)), 'daySpent', text(amount(order.daySpent)),
  'month', text(amount(order.month)), 'monthSpent', text(amount(order.monthSpent)), 'total', text(amount(order.total)))
return {status = 'OK'}
