-- What wallet scripts know of limits: requests and tokens a minute and requests at once, of a key and of its
-- account, and what a key may spend. All of it is judged in the reserve call, so it is exact over all replicas.
--
-- A minute is counted in a window that begins with the first request, and slides: of the window before, the share
-- that is less than a minute ago still counts, as if its requests had been evenly spread. A window is a list of five
-- numbers: when it began, requests, tokens, and requests and tokens of the one before. It is stored as five doubles,
-- which are read six times as fast as text.
--
-- Windows and running requests stand in the account's wallet, so that a request reads and writes them with its money:
--
--   {s}:wallet:<account>    `window` and `window:<key id>`; `streams` and `streams:<key id>`, how many requests run: as
--                           many as there are such holds
--   {s}:spend:<key id>      what a key with a spending limit has spent: `epoch` of the shard in which this was taken
--                           over from the ledger, `held`, `total`, `day` and `daySpent`, `month` and `monthSpent`

local minute_ms = 60000
local account_factor = 5
local window_bytes = 40

local scopes = {'key', 'account'}

-- Where the limits of requests and tokens stand in a list of limits; in a window they stand one behind.
local names = {'requests', 'tokens'}

local function read_default_limits(defaults)
  local requests, tokens, streams = string.match(defaults, '^(%d+),(%d+),(%d+)$')
  return {
    key = {tonumber(requests), tonumber(tokens), tonumber(streams)},
    account = {requests * account_factor, tokens * account_factor, streams * account_factor},
  }
end

-- The orders of one run have the same ones.
local default_limits = {}

-- What holds for a key: its own values and its account's, as they were published with it, else the defaults, which are
-- those of a key. Each is a list: requests and tokens a minute, requests at once. 0 is no limit.
local function read_limits(published, defaults)
  if published == '' then
    default_limits[defaults] = default_limits[defaults] or read_default_limits(defaults)
    return default_limits[defaults]
  end
  local limits = read_default_limits(defaults)
  local values = {string.match(published, '^(%d*),(%d*),(%d*);(%d*),(%d*),(%d*);(%d*),(%d*),(%d*)$')}
  for index = 1, 3 do
    limits.key[index] = tonumber(values[index]) or limits.key[index]
    limits.account[index] = tonumber(values[index + 3]) or limits.account[index]
  end
  if values[7] .. values[8] .. values[9] ~= '' then
    limits.spend = {day = tonumber(values[7]), month = tonumber(values[8]), total = tonumber(values[9])}
  end
  return limits
end

local function pack_window(window)
  return struct.pack('<ddddd', window[1], window[2], window[3], window[4], window[5])
end

-- The window that is open at `now`.
local function read_window(packed, now)
  if not packed or #packed ~= window_bytes then return {now, 0, 0, 0, 0} end
  local start, requests, tokens, requests_before, tokens_before = struct.unpack('<ddddd', packed)
  local age = now - start
  -- A clock that was set back must not keep a window open for ever.
  if age < 0 then return {now, requests, tokens, requests_before, tokens_before} end
  if age < minute_ms then return {start, requests, tokens, requests_before, tokens_before} end
  if age < 2 * minute_ms then return {start + minute_ms, 0, 0, requests, tokens} end
  return {now, 0, 0, 0, 0}
end

-- Requests (1) or tokens (2) that count now.
local function used_of(window, index, now)
  return window[index + 1] + window[index + 3] * (1 - (now - window[1]) / minute_ms)
end

-- Milliseconds until `wanted` more would fit.
local function wait_for(window, index, limit, wanted, now)
  local rest_of_window = window[1] + minute_ms - now
  local current, before = window[index + 1], window[index + 3]
  if wanted > limit then return minute_ms end
  if current + wanted > limit then
    return math.ceil(rest_of_window + minute_ms * (1 - (limit - wanted) / current))
  end
  return math.ceil(math.max(1, rest_of_window - minute_ms * (limit - current - wanted) / before))
end

-- Both scopes' windows and running requests.
local function read_rate(wallet)
  local now = now_ms()
  return {
    now = now, account = read_window(wallet.account_window, now), key = read_window(wallet.key_window, now),
    streams = {account = tonumber(wallet.account_streams or '0'), key = tonumber(wallet.key_streams or '0')},
  }
end

-- nil, or the refusal: what is exceeded, whose limit it is, the limit, and milliseconds until a retry makes sense.
-- `wanted` is a list: one request, its tokens, and one that runs.
local function judge_rate(rate, limits, wanted)
  for _, scope in ipairs(scopes) do
    local window, own = rate[scope], limits[scope]
    for index = 1, 2 do
      local limit = own[index]
      if limit > 0 and used_of(window, index, rate.now) + wanted[index] > limit then
        local wait = wait_for(window, index, limit, wanted[index], rate.now)
        return {'LIMITED', names[index], scope, text(limit), text(wait)}
      end
    end
    if own[3] > 0 and rate.streams[scope] + wanted[3] > own[3] then
      return {'LIMITED', 'streams', scope, text(own[3]), '1000'}
    end
  end
  return nil
end

-- Fields and values of the wallet with one request more, which has been judged by these rates.
local function with_request(wallet, rate, wanted)
  local account, key = rate.account, rate.key
  account[2], account[3] = account[2] + wanted[1], account[3] + wanted[2]
  key[2], key[3] = key[2] + wanted[1], key[3] + wanted[2]
  local account_window, key_field, key_window = pack_window(account), 'window:' .. wallet.key_id, pack_window(key)
  return 'window', account_window, key_field, key_window,
    'streams', text(rate.streams.account + 1), 'streams:' .. wallet.key_id, text(rate.streams.key + 1)
end

-- What a request wants that holds nothing.
local unheld = {1, 0, 0}

-- Writes one request more that holds nothing: a repetition, a question about the price, or one that the wallet does not
-- cover. It has been judged by these rates too.
local function count_unheld(wallet, rate)
  rate.account[2], rate.key[2] = rate.account[2] + 1, rate.key[2] + 1
  redis.call('HSET', wallet.key, 'window', pack_window(rate.account),
    'window:' .. wallet.key_id, pack_window(rate.key))
end

-- The window, with the hold's tokens, or those of the one before, replaced by those that the request has used.
local function correct_window(packed, hold, used)
  if not packed or not hold.counted_at then return packed or '' end
  local window = read_window(packed, now_ms())
  local index = hold.counted_at >= window[1] and 3 or 5
  if hold.counted_at >= window[1] - minute_ms then
    window[index] = math.max(0, window[index] + used - hold.tokens)
  end
  return pack_window(window)
end

-- One less; a wallet that has come anew from the ledger does not know of the requests before it.
local function fewer(running)
  return text(math.max(0, tonumber(running or '0') - 1))
end

-- Fields and values of the wallet after a request: of the tokens that were counted when it began only those that it has
-- used, and it no longer runs. None where `wallet` or `hold` is nil.
local function without_request(wallet, hold, used)
  if not wallet or not hold then return end
  local account_window = correct_window(wallet.account_window, hold, used)
  local key_field, key_window = 'window:' .. wallet.key_id, correct_window(wallet.key_window, hold, used)
  if not hold.at_once then return 'window', account_window, key_field, key_window end
  return 'window', account_window, key_field, key_window,
    'streams', fewer(wallet.account_streams), 'streams:' .. wallet.key_id, fewer(wallet.key_streams)
end

-- What a limit leaves now, nil where there is none.
local function left_of(limit, window, index, now)
  return limit > 0 and math.max(0, math.floor(limit - used_of(window, index, now))) or nil
end

-- Of requests (1) or tokens (2), for the tighter scope: limit, what remains, milliseconds until it is whole again; empty
-- without a limit.
local function describe_limit(rate, limits, index)
  local now, window, limit = rate.now, rate.key, limits.key[index]
  local left, left_of_account = left_of(limit, window, index, now), left_of(limits.account[index], rate.account, index, now)
  if left_of_account and (not left or left_of_account < left) then
    window, limit, left = rate.account, limits.account[index], left_of_account
  end
  if not left then return '' end
  local reset = window[1] + minute_ms - now + (window[index + 1] > 0 and minute_ms or 0)
  if window[index + 1] + window[index + 3] == 0 then reset = 0 end
  return string.format('%d,%d,%d', limit, left, reset)
end

-- Both as one text, such as `6000,5999,60000;20000000,19999000,120000`.
local function describe_rate(rate, limits)
  return describe_limit(rate, limits, 1) .. ';' .. describe_limit(rate, limits, 2)
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
