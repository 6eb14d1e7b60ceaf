#!lua flags=allow-oom
-- Returns what a reserve would return now, computed by the same functions. Holds no money; counts as a request.
--
-- Works on {s}:meta, {s}:key:<hash> and, of the key's account, {s}:wallet:<account>,
-- {s}:spend:<key id> and {s}:counted:<account>.
-- requires: reservation, limits, spending, wallet, leases, usage
-- arguments:
--   keyHash
--   models
--   amount
--   promptPart
--   outputPrice
--   outputCap
--   lowestCap
--   identity
--   defaultLimits
--   recalled
--   rulesMark    all of them are described in reservation.lua
-- Returns one of
--   OK available held cap amount         a reserve would hold this amount and grant this cap
--   SHORT available held                 the balance is insufficient
--   BUDGET_SHORT available held left atRest period level most zone     the balance is sufficient, but a budget is not
--   RECOVERING | KEY_UNKNOWN | KEY_INACTIVE | KEY_EXPIRED | EMAIL_UNPROVEN | PROJECT_ARCHIVED | MODEL_NOT_ALLOWED
--   OTHER_RULES rulesMark rules     the key has other rules (key-rules.ts): to be judged by, and repeated
--   LIMITED what scope limit waitMs      the request limit is exceeded
--   MISS account                         not in this Redis; the ledger has been asked
-- and, if a wallet was read, the rates as described in limits.lua. SHORT, BUDGET_SHORT and LIMITED also have `leasesOf`, as
-- described in reserve.lua.

local refusal, key = check_reservation(arguments)
if refusal then return refusal end
local wallet = read_wallet(key.account, key.id, true)
local limits = read_limits(key.limits, arguments.defaultLimits)
local spends, missing
if limits.budgets then spends, missing = read_spends(key, limits.budgets) end
if not wallet or missing then
  if not wallet then ask_ledger(key.account, '') end
  if missing then ask_spends(key, missing) end
  return {status = 'MISS', account = key.account}
end

local rates = read_rates(wallet)
local exceeded = check_rates(rates, limits, unheld)
if exceeded then return with_leases(with_rates(exceeded, rates, limits), key.account) end

local funds, tightest = wallet.available, nil
if spends then funds, tightest = spendable(wallet.available, spends, limits.budgets) end
local cap, wanted = grant_with_leases(funds, arguments, key.account)
local reply = {status = 'SHORT', available = text(wallet.available), held = text(wallet.held)}
if cap then
  reply.status, reply.cap, reply.amount = 'OK', text(cap), text(wanted)
elseif tightest and grant(wallet.available, arguments) then
  local at_rest = spendable_at_rest(wallet.available + wallet.held, spends, limits.budgets)
  for name, value in pairs(budget_short(tightest, funds, at_rest, key.zone)) do reply[name] = value end
end
if not cap then with_leases(reply, key.account) end
if not reply.leasesOf then count_unheld(wallet, rates, limits) end
return with_rates(reply, rates, limits)
