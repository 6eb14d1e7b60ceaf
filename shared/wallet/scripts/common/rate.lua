-- requires: clock
-- Limits of requests and tokens per minute, by the generic cell rate algorithm (ITU-T I.371, annex A). Each limit keeps
-- one number: the time at which it is fully restored if nothing more arrives. Each request moves that time forward by
-- its share of a minute, and is refused if it would be more than a minute away. So a minute's worth may arrive in a burst,
-- and used capacity comes back evenly.
--
-- An account and each of its keys have two, in the wallet's fields `rate` and `rate:<key id>`: requests and tokens, as
-- two doubles of milliseconds since `rate_epoch_ms`, which keeps them exact to four billionths of a second.

local minute_ms = 60000
local rate_epoch_ms = 1767225600000

-- A request may use more tokens than were counted, but no limit is exhausted for more than a minute. So a time further ahead
-- is from before the clock was set back.
local function at_least(now, time)
  return time > now + minute_ms + 1 and now or math.max(time, now)
end

-- Both times of a scope, neither in the past.
local function read_rate_of(packed, now)
  if not packed or #packed < 16 then return {requests = now, tokens = now} end
  local requests, tokens = struct.unpack('<dd', packed)
  return {requests = at_least(now, requests), tokens = at_least(now, tokens)}
end

local function pack_rate(rate)
  return struct.pack('<dd', rate.requests, rate.tokens)
end
