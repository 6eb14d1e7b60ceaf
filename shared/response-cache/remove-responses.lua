#!lua flags=allow-oom
-- Removes stored responses.
--
-- KEYS: 1 names by the time at which they were stored  2 names by the time at which they expire  3 sizes by name, and their sum
-- ARGV: 1 what the keys of responses begin with  2… their names
-- Returns how many there were.

local ages, ends, sizes, prefix = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
local count = 0
for place = 2, #ARGV do
  local name = ARGV[place]
  local size = redis.call('HGET', sizes, name)
  redis.call('UNLINK', prefix .. name)
  redis.call('ZREM', ages, name)
  redis.call('ZREM', ends, name)
  redis.call('HDEL', sizes, name)
  if size then
    redis.call('HINCRBY', sizes, '', -size)
    count = count + 1
  end
end
return count
