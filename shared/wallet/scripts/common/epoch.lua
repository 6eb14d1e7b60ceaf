-- The run id of this Redis, and the epoch of the shard, which counts its recoveries.

local function read_epoch()
  return redis.call('HGET', meta_key, 'epoch') or '0'
end

-- Changes when the server restarts and when another one takes over.
local function run_id()
  return string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
end
