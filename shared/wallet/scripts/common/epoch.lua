-- The run id of this Redis, and the epoch of the shard, which counts its recoveries.

local epochs = {}

-- No script changes it, so one run reads it once.
local function read_epoch()
  local epoch = epochs[meta_key]
  if not epoch then
    epoch = redis.call('HGET', meta_key, 'epoch') or '0'
    epochs[meta_key] = epoch
  end
  return epoch
end

-- Changes when the server restarts and when another one takes over.
local function run_id()
  return string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
end
