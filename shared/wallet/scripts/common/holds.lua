-- What wallet scripts know of holds. A hold counts in its wallet, among the running streams if it is one, and in
-- the spending of its key if that is limited; it leaves all of them in the same step.

-- `tokens` are those that the limit of tokens a minute was charged at `counted_at`, nil where none were. `capped` is the
-- epoch in which the key's spending was charged with the hold, nil where the key has no such limit.
local function read_hold(request)
  local values = redis.call('HMGET', tag .. ':hold:' .. request,
    'account', 'key', 'amount', 'progress', 'detail', 'stream', 'tokens', 'countedAt', 'capped')
  if not values[1] then return nil end
  return {
    request = request, account = values[1], key = values[2], amount = tonumber(values[3]),
    progress = tonumber(values[4]), detail = values[5], stream = values[6] == '1',
    tokens = tonumber(values[7]), counted_at = tonumber(values[8]), capped = values[9] or nil,
  }
end

-- Changes what the key's spending is charged with for a hold, unless that was taken over anew from the ledger since.
local function hold_for_key(hold, difference)
  if hold.capped and redis.call('HGET', spend_key(hold.key), 'epoch') == hold.capped then
    redis.call('HINCRBY', spend_key(hold.key), 'held', text(difference))
  end
end

-- Takes a hold out of everything but the wallet's amounts. `hold` is nil where there is none.
local function remove_hold(request, hold)
  redis.call('DEL', tag .. ':hold:' .. request)
  redis.call('ZREM', tag .. ':holds', request)
  if not hold then return end
  hold_for_key(hold, -hold.amount)
  if hold.stream then
    redis.call('HINCRBY', tag .. ':streams:' .. hold.account, 'account', -1)
    redis.call('HINCRBY', tag .. ':streams:' .. hold.account, hold.key, -1)
  end
end

-- Gives back what a request holds, charging nothing.
local function return_hold(request)
  local hold = read_hold(request)
  local wallet = hold and read_wallet(hold.account)
  if wallet then
    wallet.available = wallet.available + hold.amount
    wallet.held = wallet.held - hold.amount
    write_wallet(wallet)
  end
  remove_hold(request, hold)
end
