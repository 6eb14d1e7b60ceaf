-- requires: numbers, wallet, hold, limits, charge, leases, epoch
-- A lease is the hold of a proxy instead of a request: a part of the wallet, with shares of the limits of one key, from
-- which the proxy begins requests without asking. It is in {s}:request:<lease> and {s}:holds like every hold, is counted
-- in `held` and in the records of budgets, and has these members besides:
--
--   lease                        the number of the last draw that was applied
--   epoch                        the shard's when it was opened
--   withdrawal                   true: a version without leases ends it without a charge once its deadline has passed
--   outgrown                     true once there is a budget that it was not opened under
--   requests, tokens, streams    its shares of the limits of the key and of the account; 0 without a limit
--
-- Its outcome is `2:0:<number>`, kept for ten minutes.
--
-- Shares are what others may not use. They are not counted as used, so they do not drain. Their sums are in the wallet's
-- fields `leased` and `leased:<key id>`, as three doubles. A recall sets the wallet's field `exactUntil`: before that time
-- no lease grows.

local leases_max = 16
-- A lease has at most this part of the wallet, and of each limit.
local lease_part = 64

local no_shares = {requests = 0, tokens = 0, streams = 0}

local function shares_of(hold)
  return {requests = hold.requests, tokens = hold.tokens, streams = hold.streams}
end

local function is_recalled(wallet)
  return now_ms() < tonumber(wallet.exact_until or '0')
end

-- Fields and values of the wallet after the shares of a lease have changed.
local function with_shares(wallet, former, shares)
  local packed = {}
  for _, scope in ipairs(scopes) do
    local before, leased = unpack_leased(wallet[scope .. '_leased']), {}
    for what, share in pairs(shares) do leased[what] = math.max(0, before[what] - former[what] + share) end
    packed[scope] = struct.pack('<ddd', leased.requests, leased.tokens, leased.streams)
  end
  return 'leased', packed.account, 'leased:' .. wallet.key_id, packed.key
end

-- Once a key or the account has no lease any more, nothing is kept of their shares: a deleted key leaves no field.
local function remove_leased(account, key_id)
  local wallet_key, of_key, others = tag .. ':wallet:' .. account, 0, 0
  for _, value in ipairs(redis.call('HVALS', leases_key_of(account))) do
    if read_lease_entry(value) == key_id then of_key = of_key + 1 else others = others + 1 end
  end
  if of_key == 0 then redis.call('HDEL', wallet_key, 'leased:' .. key_id) end
  if of_key + others == 0 then redis.call('HDEL', wallet_key, 'leased') end
end

-- Removes what is left of leases that a version without leases has ended, as holds of which it knew no shares.
local function drop_lost_leases(account)
  local wallet_key, leases_key = tag .. ':wallet:' .. account, leases_key_of(account)
  local leases, sums, is_any_lost = redis.call('HGETALL', leases_key), {}, false
  local function add(field, hold)
    local sum = sums[field] or {requests = 0, tokens = 0, streams = 0}
    for what, share in pairs(sum) do sum[what] = share + (hold and hold[what] or 0) end
    sums[field] = sum
  end
  for place = 1, #leases, 2 do
    local lease, hold = leases[place], read_request(leases[place])
    add('leased', hold)
    add('leased:' .. read_lease_entry(leases[place + 1]), hold)
    if not hold then
      is_any_lost = true
      redis.call('HDEL', leases_key, lease)
    end
  end
  if not is_any_lost or redis.call('EXISTS', wallet_key) == 0 then return end
  for field, sum in pairs(sums) do
    redis.call('HSET', wallet_key, field, struct.pack('<ddd', sum.requests, sum.tokens, sum.streams))
  end
end

-- Moves money between the wallet and a lease. The caller must then write both.
local function move_into_lease(wallet, hold, difference)
  hold.amount = hold.amount + difference
  wallet.held = wallet.held + difference
  wallet.available = wallet.available - difference
  hold_in_scopes(hold, difference)
end

-- Counts for budgets what charges of a lease sum to, and that so much of it is not held any more.
local function count_leased(wallet, hold, total, taken)
  local levels = counted_levels(wallet, hold)
  if not levels then return end
  local ended = {key = hold.key, capped = hold.capped, scopes = hold.scopes, amount = taken}
  count_spent(hold.account, scopes_of(hold.account, hold.key, hold.assignment, levels), total, nil, ended)
end

-- Appends one entry for all of these charges, a JSON list.
local function append_charges(wallet, hold, posted)
  return append_usage({
    kind = 'charges', account = hold.account, key = hold.key, epoch = read_epoch(), seq = text(wallet.seq),
    spent = wallet.spent, assignment = assignment_id(hold.assignment),
  }, posted)
end

-- Charges what requests of a lease have cost, and adds their tokens to `used`. Returns the id of the last entry in the usage
-- stream, which is one for all of them if `is_packed`; empty without charges. The caller must then write the wallet and the
-- lease.
local function charge_lease(wallet, hold, charges, used, is_packed)
  if #charges == 0 then return '' end
  local posted, total, stream_id, before = {}, 0, '', hold.amount
  for place, charge in ipairs(charges) do
    local moved = math.min(charge.cost, hold.amount)
    hold.amount, wallet.held, wallet.available = hold.amount - moved, wallet.held - moved, wallet.available + moved
    local charged = math.min(charge.cost, math.max(wallet.available, 0))
    spend(wallet, charged)
    wallet.seq = wallet.seq + 1
    total = total + charged
    used.tokens = used.tokens + charge.tokens
    if is_packed then
      -- The detail is a JSON list already.
      posted[place] = '["' .. charge.request .. '","' .. text(charged) .. '","' .. text(charge.cost - charged) .. '",'
        .. charge.detail .. ']'
    else
      stream_id = append_charge(wallet, {
        account = hold.account, key = hold.key, request = charge.request, rank = '2', epoch = read_epoch(),
        cost = charged, uncharged = charge.cost - charged, detail = charge.detail, assignment = hold.assignment,
      })
    end
  end
  count_leased(wallet, hold, total, before - hold.amount)
  return is_packed and append_charges(wallet, hold, '[' .. table.concat(posted, ',') .. ']') or stream_id
end

-- The same for `count` charges that the lease covers: `total` is their sum, `posted` the JSON list for the usage stream.
local function charge_covered(wallet, hold, total, count, posted)
  hold.amount, wallet.held, wallet.available = hold.amount - total, wallet.held - total, wallet.available + total
  spend(wallet, total)
  wallet.seq = wallet.seq + count
  count_leased(wallet, hold, total, total)
  return append_charges(wallet, hold, posted)
end

-- Gives a running request a hold of its own, out of the lease, which the caller must then write. Returns false if the request
-- has a hold or an outcome already. With `at_once`, the caller must also count it among the concurrent requests.
local function promote(hold, request, limits, deadline, at_once)
  local own_hold, outcome = read_request(request.request)
  if own_hold or outcome then return false end
  local moved = math.min(request.amount, hold.amount)
  hold.amount = hold.amount - moved
  local own = {
    account = hold.account, key = hold.key, amount = moved, progress = request.progress, cap = request.cap, atOnce = at_once,
    tokens = request.tokens, countedAt = now_ms(), capped = hold.capped, scopes = hold.scopes, detail = request.detail,
    assignment = hold.assignment,
  }
  write_hold(request.request, limits and note_drain(own, limits) or own)
  redis.call('ZADD', holds_key, deadline, request.request)
  return true
end

-- The lower of two numbers, each of which may be nil.
local function lower(one, other)
  return one and other and math.min(one, other) or one or other
end

-- The most that a lease may have of what is counted as `what`, with what it has already; nil without a limit.
local function room_for(what, own, rates, limits)
  local room
  for _, scope in ipairs(scopes) do
    local rate, of_scope = rates[scope], limits[scope]
    local of_others = rates[scope .. '_leased'][what] - own
    for place, window in ipairs(rate_windows) do
      local limit = of_scope[window.name]
      local left = window.counts == what and left_of(limit, rate[place] - rates.now, window.ms)
      if left then room = lower(room, math.min(math.floor(limit / lease_part), left - of_others)) end
    end
    if what == 'streams' and of_scope.streams > 0 then
      local left = of_scope.streams - rates[scope .. '_streams'] - of_others
      room = lower(room, math.min(math.floor(of_scope.streams / lease_part), left))
    end
  end
  return room
end

-- Of a lease that has nothing any more, only its outcome is left, so that late draws are not applied again and open nothing.
local function forget_lease(lease, hold)
  redis.call('ZREM', holds_key, lease)
  redis.call('HDEL', leases_key_of(hold.account), lease)
  remove_leased(hold.account, hold.key)
  redis.call('SET', tag .. ':request:' .. lease, '2:0:' .. text(hold.lease), 'EX', void_seconds)
end

-- Ends a lease that its proxy has not drawn from in time, or that is ended with its wallet.
local function expire_lease(lease, hold, wallet)
  if wallet then
    move_into_lease(wallet, hold, -hold.amount)
    write_wallet(wallet, with_shares(wallet, shares_of(hold), no_shares))
  end
  forget_lease(lease, hold)
end
