-- Stores a response, and removes those that have expired and, while they take more memory than allowed, the oldest. What counts
-- is recorded with each, so the sum is exact however many proxies write. Without `allow-oom`: where memory is short, nothing is
-- stored. Money has keys of its own, which nothing here touches.
--
-- KEYS: 1 names by the time at which they were stored  2 names by the time at which they expire  3 sizes by name, and their sum
--       4 the response
-- ARGV: 1 its name  2 its bytes  3 milliseconds until it expires  4 the most that all of this partition may count for
--       5 what each counts for besides its own bytes and what the allocator adds to them  6 what the keys of responses begin with
-- Returns STORED, or FULL if there is no room for it even without the oldest ones that may be removed at once.

local removed_max = 256
local ages, ends, sizes, response_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local name, bytes, life_ms, most, overhead, prefix =
  ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]

-- The allocator rounds up, by a quarter at most.
local size = math.ceil(#bytes * 1.25) + overhead
if size > most then return 'FULL' end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function remove(removed)
  local counted = redis.call('HGET', sizes, removed)
  redis.call('UNLINK', prefix .. removed)
  redis.call('ZREM', ages, removed)
  redis.call('ZREM', ends, removed)
  redis.call('HDEL', sizes, removed)
  if counted then redis.call('HINCRBY', sizes, '', -counted) end
end

local count = 0
for _, expired in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', now, 'LIMIT', 0, removed_max)) do
  remove(expired)
  count = count + 1
end
remove(name)
local sum = tonumber(redis.call('HGET', sizes, '') or '0')
while sum + size > most and count < removed_max do
  local oldest = redis.call('ZRANGE', ages, 0, 0)[1]
  if not oldest then break end
  remove(oldest)
  count = count + 1
  sum = tonumber(redis.call('HGET', sizes, '') or '0')
end
if sum + size > most then return 'FULL' end

redis.call('SET', response_key, bytes, 'PX', life_ms)
redis.call('ZADD', ages, now, name)
redis.call('ZADD', ends, now + life_ms, name)
redis.call('HSET', sizes, name, size)
redis.call('HINCRBY', sizes, '', size)
return 'STORED'
