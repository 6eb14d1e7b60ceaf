-- requires: clock
-- Limits of requests and tokens a minute, by the generic cell rate algorithm (ITU-T I.371, annex A). Of each limit one
-- number is kept: when it is whole again, if nothing more comes. Each request moves that into the future by its share of a
-- minute, and it is refused where it would be more than a minute away. So a minute's worth may come at once, and what was
-- used comes back evenly.
--
-- An account and each of its keys has two, in the wallet's fields `rate` and `rate:<key id>`: requests and tokens, as two
-- doubles of milliseconds since `rate_epoch_ms`, which leaves them exact to four billionths of a second.

local minute_ms = 60000
local rate_epoch_ms = 1767225600000

-- A request may use more tokens than were counted; a clock that was set back must not keep a limit used up for longer.
local debt_ms_max = 2 * minute_ms

-- Both numbers of a scope, neither in the past.
local function read_rate_of(packed, now)
  if not packed or #packed < 16 then return {requests = now, tokens = now} end
  local requests, tokens = struct.unpack('<dd', packed)
  return {
    requests = math.min(math.max(requests, now), now + debt_ms_max),
    tokens = math.min(math.max(tokens, now), now + debt_ms_max),
  }
end

local function pack_rate(rate)
  return struct.pack('<dd', rate.requests, rate.tokens)
end
