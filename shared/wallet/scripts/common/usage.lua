-- The stream of a shard through which the ledger learns of charges and is asked for wallets.

-- An entry is one JSON text: a field for each of its members would take Redis, and whoever reads it, twice as long. Its
-- members are strings, found by their names. Returns the id of the entry.
local function append_usage(entry)
  return redis.call('XADD', tag .. ':usage', '*', 'entry', cjson.encode(entry))
end

-- Asks the ledger for a wallet, or for what a key has spent, that is missing here; at most once a second. The question
-- goes through the stream, behind every charge that was made before it. The spending of `key` is counted on from the
-- ledger's answer, that of `shown` is only shown; either may be empty.
local function ask_ledger(missing)
  local name = tag .. ':asked:' .. missing.account .. ':' .. missing.key .. ':' .. missing.shown
  if redis.call('SET', name, '1', 'NX', 'PX', 1000) then
    append_usage({kind = 'hydrate', account = missing.account, key = missing.key, shown = missing.shown})
  end
end

-- The id of the newest entry of the usage stream, empty where the ledger has booked all of them.
local function newest_usage_id()
  local newest = redis.call('XREVRANGE', tag .. ':usage', '+', '-', 'COUNT', 1)[1]
  return newest and newest[1] or ''
end
