#!lua flags=allow-oom
-- Moves a shard from one mode to the next, unless it is in another one by now: a Redis that has lost everything in the meantime has lost
-- what was published for the next mode, too.
--
-- Works on {s}:meta.
-- arguments:
--   from         the mode that it was in when that was published
--   to
--   epoch        its epoch then
-- Returns OK or OTHER.

local state = redis.call('HMGET', meta_key, 'mode', 'epoch')
if state[1] ~= arguments.from or state[2] ~= arguments.epoch then return {status = 'OTHER'} end
redis.call('HSET', meta_key, 'mode', arguments.to)
return {status = 'OK'}
