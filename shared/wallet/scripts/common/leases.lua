-- requires: clock
-- The leases of an account (lease.lua), in {s}:leases:<account>: lease → `key id:until`, where `until` is the time in ms until
-- which requests may begin from it, and 0 once its proxy has given back what no request uses.

local function leases_key_of(account)
  return tag .. ':leases:' .. account
end

-- How many leases of an account, or of one of its keys, requests may still begin from.
local function count_leases(account, key_id)
  local open = 0
  for _, value in ipairs(redis.call('HVALS', leases_key_of(account))) do
    local of_key, until_ms = string.match(value, '^(%d+):(%d+)$')
    if tonumber(until_ms) > now_ms() and (not key_id or of_key == key_id) then open = open + 1 end
  end
  return open
end

-- Names the account in a refusal if it has leases: what they give back may change it.
local function with_leases(reply, account)
  if count_leases(account) > 0 then reply.leasesOf = account end
  return reply
end

-- Requests that proxies give back what no request uses of an account's leases, or of those of one key unless `key_id` is
-- empty. Until `exact_until`, none of the account is opened or grows.
local function recall_leases(account, key_id, exact_until)
  local wallet_key = tag .. ':wallet:' .. account
  if redis.call('EXISTS', wallet_key) == 1 then redis.call('HSET', wallet_key, 'exactUntil', exact_until) end
  redis.call('PUBLISH', 'gateway:recall', cjson.encode({account = account, key = key_id}))
end
