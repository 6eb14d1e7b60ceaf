-- requires: numbers, clock, rate
-- Checks whether a request is within the limits of its key and its account: requests and tokens per minute, and
-- concurrent requests. Checked in the reserve call, so it is exact across all replicas.
--
-- Overrides are published with a key, as a MessagePack map with members such as `keyRequests`, `accountStreams` and
-- `spendDay`; a missing one has its default, and 0 means no limit.

local account_factor = 5
local scopes, limited_per_minute = {'key', 'account'}, {'requests', 'tokens'}

local no_own_limits = {}

local function read_own_limits(published)
  return published == '' and no_own_limits or cmsgpack.unpack(published)
end

local function limits_of(own, requests, tokens, streams)
  local spend
  if own.spendDay or own.spendMonth or own.spendTotal then
    spend = {day = own.spendDay, month = own.spendMonth, total = own.spendTotal}
  end
  return {
    key = {
      requests = own.keyRequests or requests, tokens = own.keyTokens or tokens, streams = own.keyStreams or streams,
    },
    account = {
      requests = own.accountRequests or requests * account_factor,
      tokens = own.accountTokens or tokens * account_factor, streams = own.accountStreams or streams * account_factor,
    },
    spend = spend,
  }
end

local latest = {}

-- The effective limits of a key, its account and its spending; `spend` is nil if the key's spending is not limited.
-- Most orders of a call have the same.
local function read_limits(published, order)
  local requests, tokens, streams = order.requestsPerMinute, order.tokensPerMinute, order.concurrentStreams
  if latest.published ~= published or latest.requests ~= requests or latest.tokens ~= tokens
    or latest.streams ~= streams then
    latest = {published = published, requests = requests, tokens = tokens, streams = streams}
    latest.limits = limits_of(read_own_limits(published), tonumber(requests), tonumber(tokens), tonumber(streams))
  end
  return latest.limits
end

-- The current usage of the limits of the key and its account.
local function read_rates(wallet)
  local now = now_ms() - rate_epoch_ms
  return {
    now = now, key = read_rate_of(wallet.key_rate, now), account = read_rate_of(wallet.account_rate, now),
    key_streams = tonumber(wallet.key_streams or '0'), account_streams = tonumber(wallet.account_streams or '0'),
  }
end

-- Smaller differences are ignored: the numbers are sums of quotients.
local tolerance_ms = 0.01

-- Returns nil, or the refusal: what is exceeded, whose limit it is, the limit, and milliseconds until a retry makes
-- sense. `wanted` is the number of requests, tokens and concurrent requests.
local function judge_rates(rates, limits, wanted)
  for _, scope in ipairs(scopes) do
    local rate, own = rates[scope], limits[scope]
    for _, what in ipairs(limited_per_minute) do
      local limit = own[what]
      local over = limit > 0 and rate[what] + wanted[what] * minute_ms / limit - rates.now - minute_ms or 0
      if over > tolerance_ms then
        local wait = wanted[what] > limit and minute_ms or math.ceil(over - tolerance_ms)
        return {status = 'LIMITED', what = what, scope = scope, limit = text(limit), waitMs = text(wait)}
      end
    end
    if own.streams > 0 and rates[scope .. '_streams'] + wanted.streams > own.streams then
      return {status = 'LIMITED', what = 'streams', scope = scope, limit = text(own.streams), waitMs = '1000'}
    end
  end
  return nil
end

local function count(rate, own, wanted)
  if own.requests > 0 then rate.requests = rate.requests + wanted.requests * minute_ms / own.requests end
  if own.tokens > 0 then rate.tokens = rate.tokens + wanted.tokens * minute_ms / own.tokens end
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

-- How long a token takes to drain from a limit; nil if there is none.
local function token_ms(own)
  return own.tokens > 0 and minute_ms / own.tokens or nil
end

-- How many more requests may run besides the one that begins now, as text; nil if that is not limited.
local function streams_left(rates, limits)
  local left
  for _, scope in ipairs(scopes) do
    local limit = limits[scope].streams
    local of_scope = limit > 0 and limit - rates[scope .. '_streams'] - 1 or nil
    if of_scope and (not left or of_scope < left) then left = of_scope end
  end
  return left and text(left)
end

-- What is left of a limit now; nil if there is none.
local function left_of(rates, limits, scope, what)
  local limit = limits[scope][what]
  if limit == 0 then return nil end
  local free_ms = minute_ms - (rates[scope][what] - rates.now) + tolerance_ms
  -- The tolerance would make it a few more than all where nothing is counted.
  return math.min(limit, math.max(0, math.floor(free_ms * limit / minute_ms)))
end

-- For the tighter scope the limit, what is left of it, and milliseconds until it is fully restored, separated by blanks;
-- nil without a limit.
local function describe_limit(rates, limits, what)
  local scope, left, left_of_account = 'key', left_of(rates, limits, 'key', what), left_of(rates, limits, 'account', what)
  if left_of_account and (not left or left_of_account < left) then scope, left = 'account', left_of_account end
  if not left then return nil end
  return string.format('%d %d %d', limits[scope][what], left, math.ceil(rates[scope][what] - rates.now))
end

-- Adds the state of the request and token limits to the reply.
local function with_rates(reply, rates, limits)
  reply.requests = describe_limit(rates, limits, 'requests')
  reply.tokens = describe_limit(rates, limits, 'tokens')
  return reply
end
