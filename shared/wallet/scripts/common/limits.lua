-- What wallet scripts know of limits: requests and tokens a minute and streams at once, of a key and of its
-- account, and what a key may spend. All of it is judged in the reserve call, so it is exact over all replicas.
--
-- A minute is counted in a window that begins with the first request, and slides: of the window before, the share
-- that is less than a minute ago still counts, as if its requests had been evenly spread.
--
--   {s}:rate:<account>      `account` and, by key id, the windows: begin, requests, tokens, the same of the one before
--   {s}:streams:<account>   `account` and, by key id, how many streams run: as many as there are such holds
--   {s}:spend:<key id>      what a key with a spending limit has spent: `epoch` of the shard in which this was taken
--                           over from the ledger, `held`, `total`, `day` and `daySpent`, `month` and `monthSpent`

local minute_ms = 60000
local rate_key_ttl_ms = 3 * minute_ms
local account_factor = 5

-- What holds for a key: its own values and its account's, as they were published with it, else the defaults, which are
-- those of a key. 0 is no limit.
local function read_limits(published, defaults)
  local requests, tokens, streams = string.match(defaults, '^(%d+),(%d+),(%d+)$')
  local limits = {
    key = {requests = tonumber(requests), tokens = tonumber(tokens), streams = tonumber(streams)},
    account = {
      requests = requests * account_factor, tokens = tokens * account_factor, streams = streams * account_factor,
    },
  }
  if published == '' then return limits end
  local values = {string.match(published, '^(%d*),(%d*),(%d*);(%d*),(%d*),(%d*);(%d*),(%d*),(%d*)$')}
  for index, name in ipairs({'requests', 'tokens', 'streams'}) do
    limits.key[name] = tonumber(values[index]) or limits.key[name]
    limits.account[name] = tonumber(values[index + 3]) or limits.account[name]
  end
  if values[7] .. values[8] .. values[9] ~= '' then
    limits.spend = {day = tonumber(values[7]), month = tonumber(values[8]), total = tonumber(values[9])}
  end
  return limits
end

local function read_window(packed, now)
  local window = {start = now, requests = 0, tokens = 0, requests_before = 0, tokens_before = 0, fresh = true}
  if not packed then return window end
  local start, requests, tokens, requests_before, tokens_before =
    string.match(packed, '^(%d+),(%d+),(%d+),(%d+),(%d+)$')
  local age = now - start
  if age < minute_ms then
    -- A clock that was set back must not keep a window open for ever.
    window.start = age < 0 and now or tonumber(start)
    window.requests, window.tokens = tonumber(requests), tonumber(tokens)
    window.requests_before, window.tokens_before = tonumber(requests_before), tonumber(tokens_before)
    window.fresh = false
  elseif age < 2 * minute_ms then
    window.start = start + minute_ms
    window.requests_before, window.tokens_before = tonumber(requests), tonumber(tokens)
  end
  return window
end

local function pack_window(window)
  return string.format('%d,%d,%d,%d,%d',
    window.start, window.requests, window.tokens, window.requests_before, window.tokens_before)
end

local function used_of(window, name, now)
  return window[name] + window[name .. '_before'] * (1 - (now - window.start) / minute_ms)
end

-- Milliseconds until `wanted` more would fit.
local function wait_for(window, name, limit, wanted, now)
  local rest_of_window = window.start + minute_ms - now
  local current, before = window[name], window[name .. '_before']
  if wanted > limit then return minute_ms end
  if current + wanted > limit then
    return math.ceil(rest_of_window + minute_ms * (1 - (limit - wanted) / current))
  end
  return math.ceil(math.max(1, rest_of_window - minute_ms * (limit - current - wanted) / before))
end

-- Both scopes' windows and streams. `streams` is read only for a request that streams.
local function read_rate(account, key_id, stream)
  local now = now_ms()
  local rate = {key_name = tag .. ':rate:' .. account, key_id = key_id, now = now, account = account}
  local packed = redis.call('HMGET', rate.key_name, 'account', key_id)
  rate.windows = {account = read_window(packed[1], now), key = read_window(packed[2], now)}
  if stream then
    local running = redis.call('HMGET', tag .. ':streams:' .. account, 'account', key_id)
    rate.streams = {account = tonumber(running[1] or '0'), key = tonumber(running[2] or '0')}
  end
  return rate
end

-- nil, or the refusal: what is exceeded, whose limit it is, the limit, and milliseconds until a retry makes sense.
local function judge_rate(rate, limits, wanted)
  for _, scope in ipairs({'key', 'account'}) do
    local window, limit = rate.windows[scope], limits[scope]
    for _, name in ipairs({'requests', 'tokens'}) do
      if limit[name] > 0 and used_of(window, name, rate.now) + wanted[name] > limit[name] then
        local wait = wait_for(window, name, limit[name], wanted[name], rate.now)
        return {'LIMITED', name, scope, text(limit[name]), text(wait)}
      end
    end
    if rate.streams and limit.streams > 0 and rate.streams[scope] >= limit.streams then
      return {'LIMITED', 'streams', scope, text(limit.streams), '1000'}
    end
  end
  return nil
end

local function count_request(rate, wanted)
  for _, window in pairs(rate.windows) do
    window.requests = window.requests + wanted.requests
    window.tokens = window.tokens + wanted.tokens
  end
  redis.call('HSET', rate.key_name,
    'account', pack_window(rate.windows.account), rate.key_id, pack_window(rate.windows.key))
  if rate.windows.account.fresh or rate.windows.key.fresh then
    redis.call('PEXPIRE', rate.key_name, rate_key_ttl_ms)
  end
  if rate.streams then
    redis.call('HINCRBY', tag .. ':streams:' .. rate.account, 'account', 1)
    redis.call('HINCRBY', tag .. ':streams:' .. rate.account, rate.key_id, 1)
  end
end

-- Replaces the tokens that were counted when the request began, at `counted_at`, by those that it has used.
local function correct_tokens(hold, used)
  local now = now_ms()
  local key_name = tag .. ':rate:' .. hold.account
  local packed = redis.call('HMGET', key_name, 'account', hold.key)
  if not packed[1] or not packed[2] then return end
  local corrected = {}
  for index = 1, 2 do
    local window = read_window(packed[index], now)
    local field = hold.counted_at >= window.start and 'tokens' or 'tokens_before'
    if hold.counted_at >= window.start - minute_ms then
      window[field] = math.max(0, window[field] + used - hold.tokens)
    end
    corrected[index] = pack_window(window)
  end
  redis.call('HSET', key_name, 'account', corrected[1], hold.key, corrected[2])
end

-- For requests and tokens, of the tighter scope: limit, what remains, milliseconds until it is whole again; each part
-- empty without a limit. One text, such as `6000,5999,60000;20000000,19999000,120000`.
local function describe_rate(rate, limits)
  local parts = {'', ''}
  for index, name in ipairs({'requests', 'tokens'}) do
    local tightest
    for _, scope in ipairs({'key', 'account'}) do
      local window, limit = rate.windows[scope], limits[scope][name]
      local remaining = math.max(0, math.floor(limit - used_of(window, name, rate.now)))
      if limit > 0 and (not tightest or remaining < tightest.remaining) then
        local reset = window.start + minute_ms - rate.now + (window[name] > 0 and minute_ms or 0)
        if window[name] + window[name .. '_before'] == 0 then reset = 0 end
        tightest = {limit = limit, remaining = remaining, reset = reset}
      end
    end
    if tightest then
      parts[index] = string.format('%d,%d,%d', tightest.limit, tightest.remaining, tightest.reset)
    end
  end
  return parts[1] .. ';' .. parts[2]
end

-- Days since 1970-01-01 to year and month: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
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

-- The spending of a key in the present day and month of UTC, nil where it has to be taken over from the ledger first.
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

-- What the key's limits leave of `available`, and the period whose limit it is; nil where no limit is tighter.
local function spendable(available, spend, limits)
  local period
  for _, name in ipairs({'day', 'month', 'total'}) do
    local limit = limits[name]
    local left = limit and math.max(0, limit - spend[name] - spend.held)
    if left and left < available then available, period = left, name end
  end
  return available, period
end

-- Books a charge, or takes back a part of one, in the key's day, month and total.
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
