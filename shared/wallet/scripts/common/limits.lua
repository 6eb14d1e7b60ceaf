-- requires: numbers, clock, rate-limits, rate, spend-limits
-- Checks whether a request is within the limits of its key and its account: requests and tokens in the windows of
-- `rate_windows`, and concurrent requests. Checked in the reserve call, so it is exact across all replicas.
--
-- Overrides are published with a key, as a MessagePack map with members such as `keyRequests`, `accountStreams` and
-- `spendDay`; a missing one has its default, and 0 means no limit.

local account_factor = 5
local scopes = {'key', 'account'}

local no_own_limits = {}

local function read_own_limits(published)
  return published == '' and no_own_limits or cmsgpack.unpack(published)
end

-- `defaults` are those of a key, in the order of `rate_limits`, separated by blanks.
local function limits_of(own, defaults)
  local key, account, values = {}, {}, {string.match(defaults, default_pattern)}
  for place, limit in ipairs(rate_limits) do
    local default = tonumber(values[place])
    key[limit.name] = own[limit.key] or default
    account[limit.name] = own[limit.account] or default * account_factor
  end
  return {key = key, account = account, own = own, budgets = budgets_of(own)}
end

local latest = {}

-- The effective limits of a key and its account; `own` are those that are published, and `budgets` are described in
-- spend-limits.lua. Most items of a call have the same.
local function read_limits(published, defaults)
  if latest.published ~= published or latest.defaults ~= defaults then
    latest = {published = published, defaults = defaults, limits = limits_of(read_own_limits(published), defaults)}
  end
  return latest.limits
end

local nothing_leased = {requests = 0, tokens = 0, streams = 0}

-- The shares of limits that leases have (lease.lua), not to be changed.
local function unpack_leased(packed)
  if not packed then return nothing_leased end
  local requests, tokens, streams = struct.unpack('<ddd', packed)
  return {requests = requests, tokens = tokens, streams = streams}
end

-- The current usage of the limits of the key and its account.
local function read_rates(wallet)
  local now = now_ms() - rate_epoch_ms
  return {
    now = now, key = read_rate_of(wallet.key_rate, now), account = read_rate_of(wallet.account_rate, now),
    key_streams = tonumber(wallet.key_streams or '0'), account_streams = tonumber(wallet.account_streams or '0'),
    key_leased = unpack_leased(wallet.key_leased), account_leased = unpack_leased(wallet.account_leased),
  }
end

-- Smaller differences are ignored: the numbers are sums of quotients.
local tolerance_ms = 0.01

-- Returns nil, or the refusal: what is exceeded, whose limit it is, the limit, and milliseconds until a retry makes
-- sense. `wanted` is the number of requests, tokens and concurrent requests.
local function check_rates(rates, limits, wanted)
  for _, scope in ipairs(scopes) do
    local rate, own, leased = rates[scope], limits[scope], rates[scope .. '_leased']
    for place, window in ipairs(rate_windows) do
      local limit, count = own[window.name], wanted[window.counts]
      local over = limit > 0
        and rate[place] + (leased[window.counts] + count) * window.ms / limit - rates.now - window.ms or 0
      if over > tolerance_ms then
        local wait = count > limit and window.ms or math.ceil(over - tolerance_ms)
        return {status = 'LIMITED', what = window.name, scope = scope, limit = text(limit), waitMs = text(wait)}
      end
    end
    if own.streams > 0 and rates[scope .. '_streams'] + leased.streams + wanted.streams > own.streams then
      return {status = 'LIMITED', what = 'streams', scope = scope, limit = text(own.streams), waitMs = '1000'}
    end
  end
  return nil
end

local function count(rate, own, wanted)
  for place, window in ipairs(rate_windows) do
    local limit = own[window.name]
    if limit > 0 then rate[place] = rate[place] + wanted[window.counts] * window.ms / limit end
  end
end

-- Counts what was used without having been checked: a request may use more tokens than were counted for it. No limit is
-- exhausted for more than its window.
local function count_used(rates, limits, used)
  for _, scope in ipairs(scopes) do
    local rate = rates[scope]
    count(rate, limits[scope], used)
    for place, window in ipairs(rate_windows) do
      rate[place] = math.min(rate[place], rates.now + window.ms)
    end
  end
end

-- Fields and values of the wallet with one more request, which was checked against these rates.
local function with_request(wallet, rates, limits, wanted)
  count(rates.account, limits.account, wanted)
  count(rates.key, limits.key, wanted)
  local account_rate, key_field, key_rate = pack_rate(rates.account), 'rate:' .. wallet.key_id, pack_rate(rates.key)
  return 'rate', account_rate, key_field, key_rate,
    'streams', text(rates.account_streams + 1), 'streams:' .. wallet.key_id, text(rates.key_streams + 1)
end

-- What a request that holds nothing counts as.
local unheld = {requests = 1, tokens = 0, streams = 0}

-- Counts a request that holds nothing: a repetition, a price quote, or one that the wallet does not cover. It was
-- checked against these rates too.
local function count_unheld(wallet, rates, limits)
  count(rates.account, limits.account, unheld)
  count(rates.key, limits.key, unheld)
  redis.call('HSET', wallet.key, 'rate', pack_rate(rates.account), 'rate:' .. wallet.key_id, pack_rate(rates.key))
end

-- Notes in a hold how long a token takes to drain from each limit of tokens; nothing without a limit.
local function note_drain(hold, limits)
  for _, window in ipairs(token_windows) do
    local of_key, of_account = limits.key[window.name], limits.account[window.name]
    if of_key > 0 then hold[window.key] = window.ms / of_key end
    if of_account > 0 then hold[window.account] = window.ms / of_account end
  end
  return hold
end

-- How many more requests may run besides the one that begins now, as text; nil if that is not limited.
local function streams_left(rates, limits)
  local left
  for _, scope in ipairs(scopes) do
    local limit = limits[scope].streams
    local running = rates[scope .. '_streams'] + rates[scope .. '_leased'].streams
    local of_scope = limit > 0 and limit - running - 1 or nil
    if of_scope and (not left or of_scope < left) then left = of_scope end
  end
  return left and text(left)
end

-- What is left of a limit that is fully restored in so long; nil if there is none.
local function left_of(limit, restored_ms, window_ms)
  if limit == 0 then return nil end
  local free_ms = window_ms - restored_ms + tolerance_ms
  -- The tolerance would make it a few more than all where nothing is counted.
  return math.min(limit, math.max(0, math.floor(free_ms * limit / window_ms)))
end

-- Adds the state of each limit with a window to the reply, under its name: for the tighter scope the limit, what is left of
-- it, and milliseconds until it is fully restored, separated by blanks; nothing without a limit.
local function with_rates(reply, rates, limits)
  for place, window in ipairs(rate_windows) do
    local limit, restored_ms = limits.key[window.name], rates.key[place] - rates.now
    local of_account, account_restored_ms = limits.account[window.name], rates.account[place] - rates.now
    local left = left_of(limit, restored_ms, window.ms)
    local left_of_account = left_of(of_account, account_restored_ms, window.ms)
    if left_of_account and (not left or left_of_account < left) then
      limit, restored_ms, left = of_account, account_restored_ms, left_of_account
    end
    reply[window.name] = left and string.format('%d %d %d', limit, left, math.ceil(restored_ms))
  end
  return reply
end
