-- requires: numbers, clock, rate
-- Updates the limits when a request ends: it no longer runs, and the tokens counted when it began are replaced by those
-- that it actually used.
--
-- An excess is given back only as far as it has not drained since: it drains at the rate of the limit, so after
-- `difference * token_ms` none of it is left. Otherwise a request that held a large count for a minute would be given
-- back what it no longer occupies, and its limit could be exceeded.

local function correct_rate(packed, hold, used, scope)
  if not packed then return '' end
  if not hold.countedAt then return packed end
  local now, rate = now_ms() - rate_epoch_ms, nil
  for _, window in ipairs(token_windows) do
    local token_ms = hold[window.account]
    if scope == 'key' then token_ms = hold[window.key] end
    if token_ms then
      rate = rate or read_rate_of(packed, now)
      local difference_ms = (used - hold.tokens) * token_ms
      if difference_ms < 0 then
        difference_ms = math.min(0, difference_ms + math.max(0, now_ms() - hold.countedAt))
      end
      rate[window.place] = math.min(rate[window.place] + difference_ms, now + window.ms)
    end
  end
  return rate and pack_rate(rate) or packed
end

-- Never below 0: a wallet that was hydrated since does not count the requests before it.
local function decrement(running)
  return text(math.max(0, tonumber(running or '0') - 1))
end

-- Fields and values of the wallet after a request; none if `wallet` or `hold` is nil. The fields of a key are removed when it is
-- deleted, and a request of it that ends later does not bring them back.
local function without_request(wallet, hold, used)
  if not wallet or not hold then return end
  local account_rate = correct_rate(wallet.account_rate, hold, used, 'account')
  if not wallet.key_rate and not wallet.key_streams then
    if not hold.atOnce then return 'rate', account_rate end
    return 'rate', account_rate, 'streams', decrement(wallet.account_streams)
  end
  local key_field, key_rate = 'rate:' .. wallet.key_id, correct_rate(wallet.key_rate, hold, used, 'key')
  if not hold.atOnce then return 'rate', account_rate, key_field, key_rate end
  return 'rate', account_rate, key_field, key_rate,
    'streams', decrement(wallet.account_streams), 'streams:' .. wallet.key_id, decrement(wallet.key_streams)
end
