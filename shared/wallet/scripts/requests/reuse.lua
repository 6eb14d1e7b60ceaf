#!lua flags=allow-oom
-- Checks whether a request may be answered with a response that is stored for it: as a reserve would, except for money. Holds
-- nothing; counts as a request.
--
-- Works on {s}:meta, {s}:key:<hash> and, of the key's account, {s}:wallet:<account>.
-- requires: reservation, limits, wallet, leases, usage
-- arguments:
--   keyHash
--   models
--   identity
--   defaultLimits
--   rulesMark    all of them are described in reservation.lua
-- Returns one of
--   OK account key epoch assignment dimensions
--   RECOVERING | KEY_UNKNOWN | KEY_INACTIVE | KEY_EXPIRED | EMAIL_UNPROVEN | PROJECT_ARCHIVED | MODEL_NOT_ALLOWED
--   OTHER_RULES rulesMark rules     the key has other rules (key-rules.ts): to be judged by, and repeated
--   LIMITED what scope limit waitMs     the request limit is exceeded
--   MISS account                        not in this Redis; the ledger has been asked
-- and, if a wallet was read, the rates as described in limits.lua. LIMITED also has `leasesOf`, as described in reserve.lua.

local refusal, key = check_start(arguments)
if refusal then return refusal end
local wallet = read_wallet(key.account, key.id, true)
if not wallet then
  ask_ledger(key.account, '')
  return {status = 'MISS', account = key.account}
end

local limits = read_limits(key.limits, arguments.defaultLimits)
local rates = read_rates(wallet)
local exceeded = check_rates(rates, limits, unheld)
if exceeded then return with_leases(with_rates(exceeded, rates, limits), key.account) end
count_unheld(wallet, rates, limits)
return with_rates({
  status = 'OK', account = key.account, key = key.id, epoch = key.epoch, assignment = key.assignment,
  dimensions = key.dimensions,
}, rates, limits)
