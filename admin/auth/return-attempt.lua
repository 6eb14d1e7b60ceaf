-- Takes an attempt back that turned out not to count.
--
-- KEYS: 1 the counter
-- ARGV: none
-- Returns the count that is left.

local count = tonumber(redis.call('GET', KEYS[1]) or '0')
if count == 0 then return 0 end
return redis.call('DECR', KEYS[1])
