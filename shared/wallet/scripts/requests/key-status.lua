#!lua flags=allow-oom
-- Returns a key's limits, its spending, and its account's balance, for a caller who has nothing but the key. Holds no
-- money; counts as a request.
--
-- The spending of a key without a spending limit is not counted here. The ledger provides it when asked, and its response
-- is cached for a few seconds, as the values of a record from the fifth on, separated by commas.
--
-- Works on {s}:meta, {s}:key:<hash> and, of the key's account, {s}:wallet:<account>, {s}:spend:<key id> and
-- {s}:spent:<key id>.
-- requires: key, limits, spending, wallet, leases, usage
-- arguments:
--   keyHash
--   identity               the run id of the Redis that the caller is connected to
--   defaultLimits          described in reservation.lua
--   withSpending           1 to include what the key has spent
--   rulesMark          of the rules that the request was judged by (check_rules in key.lua)
-- Returns one of
--   OK account key available held credited spent expiresAt models
--                                     ids of the account and the key; `expiresAt` and `models` have the form described in publish-key.lua. The key's
--                                     limits have the names under which they are published, such as keyRequests and
--                                     spendDay. With `withSpending`, what it has spent has the names of its record, such
--                                     as daySpent, and keyHeld is what requests in flight may still spend
--   RECOVERING | KEY_UNKNOWN | KEY_INACTIVE | KEY_EXPIRED | EMAIL_UNPROVEN | PROJECT_ARCHIVED
--   OTHER_RULES rulesMark rules     the key has other rules (key-rules.ts): to be judged by, and repeated
--   LIMITED what scope limit waitMs     the request limit is exceeded
--   MISS account                        not in this Redis; the ledger has been asked
-- and, if a wallet was read, the rates as described in limits.lua. LIMITED also has `leasesOf`, as described in reserve.lua.

-- An older version did not show the limits that it did not have.
local function read_shown(key_id, zone)
  local shown = redis.call('GET', tag .. ':spent:' .. key_id)
  if not shown then return nil end
  local record = {'', 0, zone, ''}
  for value in string.gmatch(shown, '%d+') do record[#record + 1] = tonumber(value) end
  return record
end

local refusal, key = check_key(arguments.keyHash, arguments.identity)
refusal = refusal or check_rules(arguments.keyHash, key, arguments.rulesMark)
if refusal then return refusal end
local limits = read_limits(key.limits, arguments.defaultLimits)
local wallet = read_wallet(key.account, key.id, true)
local is_asked, is_limited, spent = arguments.withSpending == '1', false, nil
for _, limit in ipairs(spend_limits) do
  is_limited = is_limited or limits.own[limit.published] ~= nil
end
if is_asked and is_limited then
  load_records(key.account, {key.id})
  spent = is_counted(key.id, key.epoch, key.zone) and spend_records[key.id]
end
if is_asked and not is_limited then spent = read_shown(key.id, key.zone) end
if not wallet or (is_asked and not spent) then
  local is_shown = is_asked and not spent and not is_limited
  if not wallet or is_shown then ask_ledger(key.account, is_shown and key.id or '') end
  if is_asked and not spent and is_limited then ask_spends(key, {key.id}) end
  return {status = 'MISS', account = key.account}
end

local rates = read_rates(wallet)
local exceeded = check_rates(rates, limits, unheld)
if exceeded then return with_leases(with_rates(exceeded, rates, limits), key.account) end
count_unheld(wallet, rates, limits)

local reply = {
  status = 'OK', account = key.account, key = key.id, available = text(wallet.available), held = text(wallet.held),
  credited = redis.call('HGET', wallet.key, 'credited'), spent = wallet.spent,
  expiresAt = redis.call('HGET', tag .. ':key:' .. arguments.keyHash, 'expiresAt'), models = key.models,
  keyHeld = spent and text(spent[held_at]),
}
for _, limit in ipairs(rate_limits) do
  reply[limit.key] = text(limits.key[limit.name])
end
for _, limit in ipairs(spend_limits) do
  local most = limits.own[limit.published]
  if most then reply[limit.published] = text(most) end
  if spent then reply[limit.counted] = text(spent_in(spent, limit.counted_at, limit.window, limit.window_at)) end
end
return with_rates(reply, rates, limits)
