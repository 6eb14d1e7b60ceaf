-- requires: clock
-- The leases of an account (lease.lua), in {s}:leases:<account>: lease → `key id:until`, where `until` is the time in ms until
-- which requests may begin from it, and 0 once its proxy has given back what no request uses. `:recalled` follows if it should.

local function leases_key_of(account)
  return tag .. ':leases:' .. account
end

-- Key id, until, and `recalled` or an empty string.
local function read_lease_entry(value)
  local key_id, until_ms, mark = string.match(value, '^(%d+):(%d+):?(%a*)$')
  return key_id, tonumber(until_ms), mark
end

-- How many leases of an account requests may still begin from; with a mark, how many that have it.
local function count_leases(account, wanted_mark)
  local open = 0
  for _, value in ipairs(redis.call('HVALS', leases_key_of(account))) do
    local _, until_ms, mark = read_lease_entry(value)
    if until_ms > now_ms() and (not wanted_mark or mark == wanted_mark) then open = open + 1 end
  end
  return open
end

-- Whether its proxy should have given it back, and did not.
local function is_recalled_lease(account, lease)
  return string.find(redis.call('HGET', leases_key_of(account), lease) or '', ':recalled', 1, true) ~= nil
end

-- Names the account in a refusal if it has leases: what they give back may change it.
local function with_leases(reply, account)
  if count_leases(account) > 0 then reply.leasesOf = account end
  return reply
end

-- Requests that proxies give back what no request uses of an account's leases, or of those of one key unless `key_id` is
-- empty. Until `exact_until`, none of the account is opened or grows. Does nothing if there are none.
local function recall_leases(account, key_id, exact_until)
  local leases_key, wallet_key, recalled = leases_key_of(account), tag .. ':wallet:' .. account, 0
  local leases = redis.call('HGETALL', leases_key)
  for place = 1, #leases, 2 do
    local of_key, until_ms = read_lease_entry(leases[place + 1])
    if until_ms > 0 and (key_id == '' or key_id == of_key) then
      -- A proxy that was silent for longer has what is left of its lease taken back when it returns.
      if until_ms > now_ms() then recalled = recalled + 1 end
      redis.call('HSET', leases_key, leases[place], of_key .. ':' .. text(until_ms) .. ':recalled')
    end
  end
  if recalled == 0 then return end
  if redis.call('EXISTS', wallet_key) == 1 then redis.call('HSET', wallet_key, 'exactUntil', exact_until) end
  redis.call('PUBLISH', 'gateway:recall', cjson.encode({account = account, key = key_id}))
end
