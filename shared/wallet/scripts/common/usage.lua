-- The shard's usage stream, which carries charges and requests for wallets to the ledger.

-- An entry is one JSON text: a field for each member would take Redis and the reader twice as long. Its members are
-- strings. With `charges`, a JSON list, it has them as a second field. Returns the id of the entry.
local function append_usage(entry, charges)
  local fields = {'entry', cjson.encode(entry)}
  if charges then fields[3], fields[4] = 'charges', charges end
  return redis.call('XADD', tag .. ':usage', '*', unpack(fields))
end

-- Asks the ledger for a missing wallet, at most once a second. The request goes through the stream, after every charge that
-- was made before it. The spending of the key `shown` is only shown; it may be empty.
local function ask_ledger(account, shown)
  if redis.call('SET', tag .. ':asked:' .. account .. '::' .. shown, '1', 'NX', 'PX', 1000) then
    append_usage({kind = 'hydrate', account = account, key = '', shown = shown})
  end
end

-- The id of the newest entry of the usage stream; empty if the ledger has booked all of them.
local function newest_usage_id()
  local newest = redis.call('XREVRANGE', tag .. ':usage', '+', '-', 'COUNT', 1)[1]
  return newest and newest[1] or ''
end
