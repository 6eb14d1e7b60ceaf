-- Takes a batch for one proxy at a time, or keeps it. A Redis that does not know the batch, or was restarted or took over since,
-- may have lost that another proxy has it: then it is given only after the longest time for which that one may have it.
--
-- KEYS: the lease of the batch, a hash: `owner`, empty if it is free; `from` and `ends` in ms; `identity`, the run id of this Redis
-- ARGV: owner, for how many ms, and what to do: `take`, `free`, or `offer` for a batch that has just been made
-- Returns 0 if that is done, how many ms to wait before a batch that was taken may be run, or -1 if another proxy has it

local owner, lease_ms, action = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local run_id = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lease = redis.call('HMGET', KEYS[1], 'owner', 'from', 'ends', 'identity')
local is_known = lease[4] == run_id

local function write(of, from, ends)
  redis.call('HSET', KEYS[1], 'owner', of, 'from', string.format('%.0f', from), 'ends', string.format('%.0f', ends),
    'identity', run_id)
  redis.call('PEXPIRE', KEYS[1], 172800000)
end

if action == 'offer' then
  if not lease[4] then write('', now, now) end
  return 0
end
if action == 'free' then
  if is_known and lease[1] == owner then write('', now, now) end
  return 0
end
if not is_known then
  write(owner, now + lease_ms, now + lease_ms + lease_ms)
  return lease_ms
end
local is_own = lease[1] == owner
if not is_own and lease[1] ~= '' and tonumber(lease[3]) > now then return -1 end
local from = is_own and tonumber(lease[2]) or now
write(owner, from, math.max(now, from) + lease_ms)
return math.max(0, from - now)
