-- The clock of this Redis.

local now

-- Constant for the whole run, so that all items of a call happen at the same moment.
local function now_ms()
  if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000 + math.floor(time[2] / 1000)
  end
  return now
end
