-- Counts an attempt by every counter, or by none where one of them has reached its limit: who is refused leaves nothing.
--
-- KEYS: the counters, all in one slot
-- ARGV: for each its window's length in milliseconds, which begins with the first attempt, and the attempts that it allows
-- Returns 0, or how many milliseconds the longest of the full windows still lasts.

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
