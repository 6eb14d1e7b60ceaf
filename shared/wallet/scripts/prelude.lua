-- What every wallet script begins with; the loader puts it behind the script's own first line.
--
-- Amounts are decimal strings of nano-USD. A Lua number is a double, exact below 2^53; a wallet is capped below that,
-- so comparing and adding `available` and `held` is exact. `spent` and `credited` only grow and are never turned into
-- a Lua number: HINCRBY keeps them as 64-bit integers. `tostring` and `..` would round from 15 digits on: use `text`.
--
-- Redis does not roll a failed script back, so each script validates everything before its first write.

local tag = string.match(KEYS[1], '^{.-}')
local outcome_seconds = 86400
local wallet_fields = {'available', 'held', 'version'}

local function text(number)
  -- Adding 0 turns the double -0, which would print as "-0", into 0.
  return string.format('%.0f', number + 0)
end

local function amount(argument)
  local number = tonumber(argument)
  if not number or number < 0 or number ~= math.floor(number) or number >= 9007199254740992 then
    error('not an amount: ' .. tostring(argument))
  end
  return number
end

local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- nil where the account has no wallet in this Redis.
local function read_wallet(account)
  local key = tag .. ':wallet:' .. account
  local values = redis.call('HMGET', key, unpack(wallet_fields))
  if not values[1] then return nil end
  return {
    key = key,
    available = tonumber(values[1]),
    held = tonumber(values[2]),
    version = tonumber(values[3]),
  }
end

local function write_wallet(wallet)
  redis.call('HSET', wallet.key,
    'available', text(wallet.available), 'held', text(wallet.held), 'version', text(wallet.version + 1))
end

-- Raises `spent` by a difference, which is negative where a final cost is lower than its estimate.
local function raise_spent(wallet, difference)
  redis.call('HINCRBY', wallet.key, 'spent', text(difference))
end

-- Asks the ledger for a wallet that is missing here, at most once a second. The question goes through the stream, behind
-- every charge that was made before it.
local function ask_for_wallet(account)
  if redis.call('SET', tag .. ':asked:' .. account, '1', 'NX', 'PX', 1000) then
    redis.call('XADD', tag .. ':usage', '*', 'kind', 'hydrate', 'account', account)
  end
end

local function read_hold(request)
  local values = redis.call('HMGET', tag .. ':hold:' .. request, 'account', 'key', 'amount', 'progress', 'detail')
  if not values[1] then return nil end
  return {
    account = values[1], key = values[2], amount = tonumber(values[3]), progress = tonumber(values[4]), detail = values[5],
  }
end

local function remove_hold(request)
  redis.call('DEL', tag .. ':hold:' .. request)
  redis.call('ZREM', tag .. ':holds', request)
end

local function write_outcome(request, outcome)
  redis.call('SET', tag .. ':done:' .. request, outcome, 'EX', outcome_seconds)
end

-- Appends what the request has cost in all, and returns the id of the entry. `seq` and `spent` are the wallet's after
-- this charge, empty without one.
local function append_charge(wallet, charge)
  local seq, spent = '', ''
  if wallet then
    seq = text(redis.call('HINCRBY', wallet.key, 'seq', 1))
    spent = redis.call('HGET', wallet.key, 'spent')
  end
  local epoch = redis.call('HGET', tag .. ':meta', 'epoch') or '0'
  return redis.call('XADD', tag .. ':usage', '*',
    'kind', 'charge', 'account', charge.account, 'key', charge.key, 'request', charge.request, 'rank', charge.rank,
    'cost', text(charge.cost), 'uncharged', text(charge.uncharged), 'detail', charge.detail,
    'epoch', epoch, 'seq', seq, 'spent', spent)
end
