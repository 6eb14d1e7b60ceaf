-- Counts an attempt on every counter, or on none if one of them has reached its limit: a refused attempt leaves no
-- trace.
--
-- KEYS: the counters, all in one slot
-- ARGV: for each counter the length of its window in milliseconds, from the first attempt, and the attempts it allows
-- Returns 0, or the milliseconds left of the longest full window.

local wait = 0
for index, key in ipairs(KEYS) do
  local count = tonumber(redis.call('GET', key) or '0')
  if count >= tonumber(ARGV[2 * index]) then wait = math.max(wait, redis.call('PTTL', key), 1) end
end
if wait > 0 then return wait end

for index, key in ipairs(KEYS) do
  if redis.call('INCR', key) == 1 then redis.call('PEXPIRE', key, ARGV[2 * index - 1]) end
end
return 0
