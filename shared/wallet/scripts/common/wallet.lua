-- requires: numbers
-- The wallet of an account, one hash. `spent` and `credited` only grow and may exceed what a double holds exactly;
-- Redis then adds to them itself, as 64-bit integers.
--
-- Redis does not roll back a script that fails, so each script validates everything before its first write.

-- `counted` is set once charges of the account are counted for budgets (spending.lua).
-- Returns nil if the account has no wallet in this Redis. With `key_id`, also reads the rates of the account and that
-- key (rate.lua); with `at_once`, also how many of their requests are running, and the shares of their leases.
local function read_wallet(account, key_id, at_once)
  local key = tag .. ':wallet:' .. account
  local values
  if at_once then
    values = redis.call('HMGET', key, 'available', 'held', 'version', 'spent', 'seq',
      'counted',
      'rate', 'rate:' .. key_id, 'streams', 'streams:' .. key_id, 'leased', 'leased:' .. key_id, 'exactUntil')
  elseif key_id then
    values = redis.call('HMGET', key, 'available', 'held', 'version', 'spent', 'seq', 'counted', 'rate',
      'rate:' .. key_id)
  else
    values = redis.call('HMGET', key, 'available', 'held', 'version', 'spent', 'seq', 'counted')
  end
  if not values[1] then return nil end
  return {
    key = key, key_id = key_id, available = tonumber(values[1]), held = tonumber(values[2]),
    version = tonumber(values[3]), spent = values[4], seq = tonumber(values[5]),
    counted = values[6], account_rate = values[7], key_rate = values[8], account_streams = values[9], key_streams = values[10],
    account_leased = values[11], key_leased = values[12], exact_until = values[13],
  }
end

-- The further arguments are fields and values to write with the wallet.
local function write_wallet(wallet, ...)
  redis.call('HSET', wallet.key,
    'available', text(wallet.available), 'held', text(wallet.held), 'version', text(wallet.version + 1), ...)
end

-- Moves a difference from `available` to `spent`; negative if a final cost is lower than its estimate. The caller must
-- then write the wallet.
local function spend(wallet, difference)
  wallet.available = wallet.available - difference
  if #wallet.spent < 16 then
    wallet.spent = text(wallet.spent + difference)
  else
    redis.call('HINCRBY', wallet.key, 'spent', text(difference))
    wallet.spent = redis.call('HGET', wallet.key, 'spent')
  end
end

-- Writes the wallet with the difference added to `spent`.
local function write_spent(wallet, difference, ...)
  spend(wallet, difference)
  write_wallet(wallet, 'spent', wallet.spent, ...)
end

-- Writes the wallet with one more charge, and numbers the charge.
local function write_charged(wallet, difference, ...)
  spend(wallet, difference)
  wallet.seq = wallet.seq + 1
  write_wallet(wallet, 'spent', wallet.spent, 'seq', text(wallet.seq), ...)
end
