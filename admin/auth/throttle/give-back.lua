-- Takes back an attempt that was counted.
--
-- KEYS: 1 the counter
-- ARGV: none
-- Returns nothing

if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('DECR', KEYS[1]) <= 0 then redis.call('DEL', KEYS[1]) end
