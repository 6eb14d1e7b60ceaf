-- The clock of this Redis.

local now

-- The same for the whole run, so that its orders happen at one moment.
local function now_ms()
  if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000 + math.floor(time[2] / 1000)
  end
  return now
end
