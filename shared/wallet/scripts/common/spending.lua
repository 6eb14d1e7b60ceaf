-- requires: numbers, clock
-- What a key with a spending limit has spent, in {s}:spend:<key id>: `epoch`, the shard's when this was loaded from the
-- ledger, `held`, and for each spending limit what was spent in one of its windows and the number of that window, such as
-- `daySpent` and `day`. `total` has no windows.

local day_ms = 86400000

-- From days since 1970-01-01: civil_from_days of Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
local function month_of(day)
  local shifted = day + 719468
  local era = math.floor(shifted / 146097)
  local day_of_era = shifted - era * 146097
  local year_of_era = math.floor((day_of_era - math.floor(day_of_era / 1460) + math.floor(day_of_era / 36524)
    - math.floor(day_of_era / 146096)) / 365)
  local day_of_year = day_of_era - (365 * year_of_era + math.floor(year_of_era / 4) - math.floor(year_of_era / 100))
  local month_from_march = math.floor((5 * day_of_year + 2) / 153)
  local month = month_from_march < 10 and month_from_march + 3 or month_from_march - 9
  local year = year_of_era + era * 400 + (month <= 2 and 1 or 0)
  return year * 100 + month
end

local function spend_key(key_id)
  return tag .. ':spend:' .. key_id
end

-- The number of the current window of a limit, whose length is in milliseconds, `month`, or nil: then it has none.
local function window_of(length)
  if length == 'month' then return month_of(math.floor(now_ms() / day_ms)) end
  return length and math.floor(now_ms() / length)
end

-- The spending of a key: the `epoch` of its record, `held`, and `spent`, in which each limit has what was spent in its
-- current window, at its place in `spend_fields`; nil if it must be loaded from the ledger first. A record of a version
-- that did not have one of the limits has nothing for it.
local function read_spend(key_id, epoch)
  local spent = redis.call('HMGET', spend_key(key_id), unpack(spend_fields))
  if spent[1] ~= epoch then return nil end
  for _, limit in ipairs(spend_limits) do
    local window = window_of(limit.window)
    local is_current = not window or tonumber(spent[limit.window_at]) == window
    spent[limit.counted_at] = is_current and tonumber(spent[limit.counted_at]) or 0
  end
  return {epoch = epoch, held = tonumber(spent[2]), spent = spent}
end

-- How much of `available` the key's limits allow, and the name of the tightest limit; nil if none is tighter.
local function spendable(available, spend, own)
  local period
  for _, limit in ipairs(spend_limits) do
    local most = own[limit.published]
    local left = most and math.max(0, most - spend.spent[limit.counted_at] - spend.held)
    if left and left < available then available, period = left, limit.name end
  end
  return available, period
end

-- Adds a charge to the current windows of all limits; a negative difference takes part of one back.
local function charge_key(key_id, difference)
  local key_name = spend_key(key_id)
  local values = redis.call('HMGET', key_name, 'epoch', unpack(window_fields))
  if not values[1] then return end
  for place, limit in ipairs(spend_windows) do
    local window = window_of(limit.window)
    if tonumber(values[place + 1]) ~= window then
      redis.call('HSET', key_name, limit.name, text(window), limit.counted, '0')
    end
  end
  for _, limit in ipairs(spend_limits) do
    redis.call('HINCRBY', key_name, limit.counted, text(difference))
  end
end
