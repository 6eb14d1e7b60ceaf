-- Counts an attempt, unless the limit of the present window is reached.
--
-- KEYS: 1 the counter
-- ARGV: 1 the window's length in milliseconds  2 attempts allowed in a window
-- Returns 0, or how many milliseconds the window still lasts.

local count = tonumber(redis.call('GET', KEYS[1]) or '0')
if count >= tonumber(ARGV[2]) then return math.max(redis.call('PTTL', KEYS[1]), 1) end

redis.call('INCR', KEYS[1])
if count == 0 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return 0
