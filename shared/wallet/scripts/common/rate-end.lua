-- requires: numbers, clock, rate
-- What the end of a request changes of its limits: it no longer runs, and of the tokens that were counted when it began
-- only those remain that it has used.
--
-- What was counted too much comes back only as far as it has not drained by itself since: it drains at the pace of the
-- limit, so after `difference * token_ms` nothing of it is left. A request that holds a large count for a minute could
-- otherwise be given back what it no longer occupies, and its limit would be exceeded.

local function correct_rate(packed, hold, used, token_ms)
  if not packed then return '' end
  if not token_ms or not hold.countedAt then return packed end
  local now = now_ms() - rate_epoch_ms
  local rate = read_rate_of(packed, now)
  local difference_ms = (used - hold.tokens) * token_ms
  if difference_ms < 0 then
    difference_ms = math.min(0, difference_ms + math.max(0, now_ms() - hold.countedAt))
  end
  rate.tokens = rate.tokens + difference_ms
  return pack_rate(rate)
end

-- One less; a wallet that has come from the ledger since does not know of the requests before it.
local function decrement(running)
  return text(math.max(0, tonumber(running or '0') - 1))
end

-- Fields and values of the wallet after a request. None where `wallet` or `hold` is nil.
local function without_request(wallet, hold, used)
  if not wallet or not hold then return end
  local account_rate = correct_rate(wallet.account_rate, hold, used, hold.accountTokenMs)
  local key_field, key_rate = 'rate:' .. wallet.key_id, correct_rate(wallet.key_rate, hold, used, hold.keyTokenMs)
  if not hold.atOnce then return 'rate', account_rate, key_field, key_rate end
  return 'rate', account_rate, key_field, key_rate,
    'streams', decrement(wallet.account_streams), 'streams:' .. wallet.key_id, decrement(wallet.key_streams)
end
