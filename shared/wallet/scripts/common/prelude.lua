-- What wallet scripts have in common; link-script.ts puts in front of each what it uses of this folder.
--
-- Amounts are decimal strings of nano-USD. A Lua number is a double, exact below 2^53; a wallet is capped below that,
-- so comparing and adding `available` and `held` is exact. `spent` and `credited` only grow and may become larger: Redis
-- itself adds to them then, as 64-bit integers. `tostring` and `..` would round from 15 digits on: use `text`.
--
-- Redis does not roll a failed script back, so each script validates everything before its first write.

-- Of the shard that the present order is about: its tag, such as `{s7}`, with which all names of keys begin; its `meta`;
-- and its running requests by the time at which they may be expired.
local tag
local meta_key
local holds_key

local function work_on(shard_tag)
  tag, meta_key, holds_key = shard_tag, shard_tag .. ':meta', shard_tag .. ':holds'
end

local outcome_seconds = 86400

-- How long it is known that a request was released. No call of such a request comes later than that, and strangers to money
-- shall not fill the memory.
local void_seconds = 600

-- `%d` is exact for every whole number that a double holds, and three times as fast as `%.0f`.
local function text(number)
  return string.format('%d', number)
end

local function amount(argument)
  local number = tonumber(argument)
  if not number or number < 0 or number ~= math.floor(number) or number >= 9007199254740992 then
    error('not an amount: ' .. tostring(argument))
  end
  return number
end

local function append(list, more)
  for _, item in ipairs(more) do list[#list + 1] = item end
  return list
end

local now

-- The same for the whole run, so that its orders happen at one moment.
local function now_ms()
  if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000 + math.floor(time[2] / 1000)
  end
  return now
end

-- nil where the account has no wallet in this Redis. With a key's id, also what limits.lua counts for the account and for
-- that key, how many requests run only for one that counts among them: one hash has all that a request changes of an account,
-- so that it is read once and written once.
local function read_wallet(account, key_id, at_once)
  local key = tag .. ':wallet:' .. account
  local values
  if at_once then
    values = redis.call('HMGET', key, 'available', 'held', 'version', 'spent', 'seq',
      'window', 'window:' .. key_id, 'streams', 'streams:' .. key_id)
  elseif key_id then
    values = redis.call('HMGET', key, 'available', 'held', 'version', 'spent', 'seq', 'window', 'window:' .. key_id)
  else
    values = redis.call('HMGET', key, 'available', 'held', 'version', 'spent', 'seq')
  end
  if not values[1] then return nil end
  return {
    key = key, key_id = key_id, available = tonumber(values[1]), held = tonumber(values[2]),
    version = tonumber(values[3]), spent = values[4], seq = tonumber(values[5]),
    account_window = values[6], key_window = values[7], account_streams = values[8], key_streams = values[9],
  }
end

-- What follows the wallet are fields and values to write with it.
local function write_wallet(wallet, ...)
  redis.call('HSET', wallet.key,
    'available', text(wallet.available), 'held', text(wallet.held), 'version', text(wallet.version + 1), ...)
end

-- Moves a difference from `available` to `spent`, in the table only; it is negative where a final cost is lower than its
-- estimate.
local function spend(wallet, difference)
  wallet.available = wallet.available - difference
  if #wallet.spent < 16 then
    wallet.spent = text(wallet.spent + difference)
  else
    redis.call('HINCRBY', wallet.key, 'spent', text(difference))
    wallet.spent = redis.call('HGET', wallet.key, 'spent')
  end
end

-- Writes the wallet with this difference more spent.
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

-- What decides whether a request may begin, which reserve and peek are asked in the same way:
-- ARGV: 1 hash of the API key  2 model  3 amount to hold at the full output cap  4 the part of it that is the prompt
--       5 pico-USD for one more output token, all choices together  6 output cap  7 lowest cap that may be granted
--       instead, 0 if it may not be lowered  8 identity of the Redis that the caller is connected to
--       9 a key's default limits: requests and tokens a minute, requests at once
local function read_order(ARGV)
  return {
    key_hash = ARGV[1], model = ARGV[2], amount = amount(ARGV[3]), prompt_part = amount(ARGV[4]),
    output_price = amount(ARGV[5]), cap = amount(ARGV[6]), lowest_cap = amount(ARGV[7]), identity = ARGV[8],
    default_limits = ARGV[9],
  }
end

-- Whether a key may be used now: nil and {account, id, epoch, models, limits}, or the refusal alone. Where the shard was
-- opened in another Redis than the caller is connected to, this one was restarted or took over, may have forgotten
-- charges, and has not been compared with the ledger yet.
local function judge_key(key_hash, identity)
  local meta = redis.call('HMGET', meta_key, 'mode', 'epoch', 'identity')
  if meta[1] ~= 'open' or meta[3] ~= identity then return 'RECOVERING' end
  local key = redis.call('HMGET', tag .. ':key:' .. key_hash, 'account', 'id', 'active', 'expiresAt', 'models', 'limits')
  if not key[1] then return 'KEY_UNKNOWN' end
  if key[4] ~= '' and tonumber(key[4]) <= now_ms() then return 'KEY_EXPIRED' end
  if key[3] == 'unproven' then return 'EMAIL_UNPROVEN' end
  if key[3] ~= '1' then return 'KEY_INACTIVE' end
  return nil, {account = key[1], id = key[2], epoch = meta[2], models = key[5], limits = key[6] or ''}
end

-- Whether the order's request may begin with its key, as judge_key tells.
local function judge_order(order)
  local refusal, key = judge_key(order.key_hash, order.identity)
  if refusal then return refusal end
  if key.models ~= '' and not string.find(key.models, '\n' .. order.model .. '\n', 1, true) then
    return 'MODEL_NOT_ALLOWED'
  end
  return nil, key
end

-- The output cap that `available` is granted and the amount to hold for it, nil where it covers not even the lowest.
local function grant(available, order)
  local cap, wanted = order.cap, order.amount
  if wanted > available and order.lowest_cap > 0 and order.output_price > 0 then
    cap = math.min(cap, math.floor((available - order.prompt_part) * 1000 / order.output_price))
    wanted = order.prompt_part + math.ceil(cap * order.output_price / 1000)
    if wanted > available then
      -- A quotient of doubles may be one too high.
      cap = cap - 1
      wanted = order.prompt_part + math.ceil(cap * order.output_price / 1000)
    end
    if cap < order.lowest_cap then return nil end
  end
  if wanted > available or available <= 0 then return nil end
  return cap, wanted
end

-- An entry of the usage stream is one JSON text: a field for each of its members would take Redis, and whoever reads
-- it, twice as long. Returns its id.
local function append_usage(entry)
  return redis.call('XADD', tag .. ':usage', '*', 'entry', cjson.encode(entry))
end

-- Asks the ledger for a wallet, or for what a key has spent, that is missing here; at most once a second. The question
-- goes through the stream, behind every charge that was made before it. The spending of `key_id` is counted on from the
-- ledger's answer, that of `shown_key_id` is only shown.
local function ask_ledger(account, key_id, shown_key_id)
  local shown = shown_key_id or ''
  if redis.call('SET', tag .. ':asked:' .. account .. ':' .. key_id .. ':' .. shown, '1', 'NX', 'PX', 1000) then
    append_usage({kind = 'hydrate', account = account, key = key_id, shown = shown})
  end
end

-- The id of the newest entry of the usage stream, empty where the ledger has booked all of them.
local function newest_usage_id()
  local newest = redis.call('XREVRANGE', tag .. ':usage', '+', '-', 'COUNT', 1)[1]
  return newest and newest[1] or ''
end

-- Identifies the Redis that runs this script. It changes when the server restarts and when another one takes over.
local function run_id()
  return string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
end

-- Orphans are charges that the ledger may have booked before they were made here, because a Redis has lost writes since:
-- there is no wallet, or it was set to the ledger's sums, which may contain them. The wallet is charged all the same, and
-- corrected by absorb.lua once the ledger has decided. Each is a field `request:rank` with `cost:contained`, where
-- `contained` is what was taken from the wallet. Versions before 0.1.0 wrote a field `request` with the cost alone.
local function orphans_key_of(account)
  return tag .. ':orphans:' .. account
end

local function begin_once(use, body_digest, request)
  local once_key = tag .. ':once:' .. use
  redis.call('HSET', once_key, 'body', body_digest, 'request', request)
  redis.call('EXPIRE', once_key, outcome_seconds)
end

-- Of all answers that an account has kept for its Idempotency-Keys within a day of the first of them.
local kept_bytes_max = 33554432

-- Vectors cost next to nothing and are large, so without a limit one account could fill the memory that all share. What
-- is beyond it is answered as if it were too large to be kept.
local function finish_once(use, request, account, answer)
  local once_key = tag .. ':once:' .. use
  if redis.call('HGET', once_key, 'request') ~= request then return end
  local kept_key = tag .. ':kept:' .. account
  local kept = tonumber(redis.call('GET', kept_key) or '0')
  if kept + #answer > kept_bytes_max then answer = '' end
  if #answer > 0 then redis.call('INCRBY', kept_key, #answer) end
  if kept == 0 and #answer > 0 then redis.call('EXPIRE', kept_key, outcome_seconds) end
  redis.call('HSET', once_key, 'answer', answer)
  redis.call('EXPIRE', once_key, outcome_seconds)
end

-- A request that ended without an answer leaves its Idempotency-Key free.
local function drop_once(use, request)
  local once_key = tag .. ':once:' .. use
  local earlier = redis.call('HMGET', once_key, 'request', 'answer')
  if earlier[1] == request and not earlier[2] then redis.call('DEL', once_key) end
end

local function read_epoch()
  return redis.call('HGET', meta_key, 'epoch') or '0'
end

-- Appends what the request has cost in all, and returns the id of the entry. `seq` and `spent` are those of the wallet
-- after this charge was written. An orphan has none.
local function append_charge(wallet, charge)
  charge.kind = 'charge'
  charge.cost, charge.uncharged = text(charge.cost), text(charge.uncharged)
  charge.seq, charge.spent = wallet and text(wallet.seq) or '', wallet and wallet.spent or ''
  return append_usage(charge)
end

local function append_orphan(charge, contained)
  redis.call('HSET', orphans_key_of(charge.account), charge.request .. ':' .. charge.rank,
    text(charge.cost) .. ':' .. text(contained))
  return append_charge(nil, charge)
end

-- Charges the wallet a difference, if there is a wallet, and appends the charge; returns the id of its entry. What follows
-- are fields and values to write with the wallet.
local function post_charge(wallet, charge, difference, is_orphan, ...)
  if is_orphan then
    if wallet then write_spent(wallet, difference, ...) end
    return append_orphan(charge, wallet and difference or 0)
  end
  write_charged(wallet, difference, ...)
  return append_charge(wallet, charge)
end
