#!lua flags=allow-oom
-- Takes over from the ledger what a key with a spending limit has spent, once in each epoch of its shard. Every charge
-- that was made before the ledger was asked is in its answer; of the requests that were running then, only those are
-- counted that were reserved in this epoch with the limit in force.
--
-- Works on {s}:meta and {s}:spend:<key id>.
-- ARGV: 1 key id  2 day, as days since 1970-01-01  3 spent on it  4 month, as 202611  5 spent in it  6 spent in all
-- Returns OK or EXISTS.

local key_name, epoch = spend_key(ARGV[1]), redis.call('HGET', meta_key, 'epoch') or '0'
if redis.call('HGET', key_name, 'epoch') == epoch then return {'EXISTS'} end

redis.call('DEL', key_name)
redis.call('HSET', key_name, 'epoch', epoch, 'held', '0',
  'day', text(amount(ARGV[2])), 'daySpent', text(amount(ARGV[3])),
  'month', text(amount(ARGV[4])), 'monthSpent', text(amount(ARGV[5])), 'total', text(amount(ARGV[6])))
return {'OK'}
