-- requires: clock
-- The windows in which budgets count, such as the present day, in the time zone of an organization: offsets (zone-offsets.ts), or
-- empty for UTC.

local day_ms = 86400000
local quarter_hour_ms = 900000

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

-- The time in a zone, in ms since 1970 as if it were UTC.
local function local_ms(zone)
  if zone == '' then return now_ms() end
  for ahead, until_quarter in string.gmatch(zone, '(%-?%d+) ?(%d*)') do
    if until_quarter == '' or now_ms() < tonumber(until_quarter) * quarter_hour_ms then
      return now_ms() + tonumber(ahead) * quarter_hour_ms
    end
  end
  return now_ms()
end

-- What of a zone's offsets is not over.
local function offsets_ahead(zone)
  for at, until_quarter in string.gmatch(zone, '()%-?%d+ ?(%d*)') do
    if until_quarter == '' or now_ms() < tonumber(until_quarter) * quarter_hour_ms then return string.sub(zone, at) end
  end
  return zone
end

-- Whether two texts are offsets of one zone, from now on: they begin and end with the time when they were written.
local function is_same_zone(one, other)
  if one == other then return true end
  one, other = offsets_ahead(one), offsets_ahead(other)
  if #one > #other then one, other = other, one end
  return one == other or string.find(one, ' ', 1, true) ~= nil and string.sub(other, 1, #one + 1) == one .. ' '
end

local windows = {}

-- The numbers of the present windows in a zone, by the kind of period. One run is one moment.
local function windows_in(zone)
  local numbers = windows[zone]
  if not numbers then
    local day = math.floor(local_ms(zone) / day_ms)
    -- 1970-01-01 was a Thursday.
    numbers = {day = day, week = math.floor((day + 3) / 7), month = month_of(day)}
    windows[zone] = numbers
  end
  return numbers
end
