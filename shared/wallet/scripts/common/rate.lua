-- requires: clock, rate-limits
-- Limits of requests and tokens in a window such as a minute, by the generic cell rate algorithm (ITU-T I.371, annex A).
-- Each limit keeps one number: the time at which it is fully restored if nothing more arrives. Each request moves that
-- time forward by its share of the window, and is refused if it would be more than a window away. So a window's worth may
-- arrive in a burst, and used capacity comes back evenly.
--
-- An account and each of its keys have the times of all windows in the wallet's fields `rate` and `rate:<key id>`, one
-- double each, in the order of `rate_windows` (limit-rows.ts): milliseconds since `rate_epoch_ms`, which keeps them exact to four
-- billionths of a second. A version that knows fewer windows reads the first ones, and leaves the others out.

local rate_epoch_ms = 1767225600000

-- A request may use more tokens than were counted, but no limit is exhausted for more than its window. So a time further
-- ahead is from before the clock was set back.
local function at_least(now, time, window_ms)
  return time > now + window_ms + 1 and now or math.max(time, now)
end

-- The times of a scope. One that has passed, or is missing, is now.
local function read_rate_of(packed, now)
  packed = packed or ''
  if #packed < rate_bytes then packed = packed .. string.rep('\0', rate_bytes - #packed) end
  local rate = {struct.unpack(rate_format, packed)}
  for place, window in ipairs(rate_windows) do
    rate[place] = at_least(now, rate[place], window.ms)
  end
  return rate
end

local function pack_rate(rate)
  return struct.pack(rate_format, unpack(rate, 1, rate_count))
end
