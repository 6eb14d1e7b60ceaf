-- requires: numbers, clock
-- What a key with a spending limit has spent, in {s}:spend:<key id>: `epoch`, the shard's when this was loaded from the
-- ledger, `held`, `total`, `day` and `daySpent`, `month` and `monthSpent`.

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

-- The spending of a key in the current UTC day and month; nil if it must be loaded from the ledger first.
local function read_spend(key_id, epoch)
  local values = redis.call('HMGET', spend_key(key_id),
    'epoch', 'held', 'total', 'day', 'daySpent', 'month', 'monthSpent')
  if values[1] ~= epoch then return nil end
  local day = math.floor(now_ms() / 86400000)
  local month = month_of(day)
  return {
    epoch = epoch, held = tonumber(values[2]), total = tonumber(values[3]),
    day = tonumber(values[4]) == day and tonumber(values[5]) or 0,
    month = tonumber(values[6]) == month and tonumber(values[7]) or 0,
  }
end

-- How much of `available` the key's limits allow, and the period of the tightest limit; nil if none is tighter.
local function spendable(available, spend, limits)
  local period
  for _, name in ipairs({'day', 'month', 'total'}) do
    local limit = limits[name]
    local left = limit and math.max(0, limit - spend[name] - spend.held)
    if left and left < available then available, period = left, name end
  end
  return available, period
end

-- Adds a charge to the key's day, month and total; a negative difference takes part of one back.
local function charge_key(key_id, difference)
  local key_name = spend_key(key_id)
  local values = redis.call('HMGET', key_name, 'day', 'month')
  if not values[1] then return end
  local day = math.floor(now_ms() / 86400000)
  local month = month_of(day)
  if tonumber(values[1]) ~= day then redis.call('HSET', key_name, 'day', text(day), 'daySpent', '0') end
  if tonumber(values[2]) ~= month then redis.call('HSET', key_name, 'month', text(month), 'monthSpent', '0') end
  for _, field in ipairs({'daySpent', 'monthSpent', 'total'}) do
    redis.call('HINCRBY', key_name, field, text(difference))
  end
end
