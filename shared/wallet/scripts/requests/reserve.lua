#!lua
-- Checks the key and its limits, and moves the most that the request can cost from `available` to `held`. Without
-- `allow-oom`: when Redis is out of memory no new request starts, so that running ones can still settle.
--
-- Works on {s}:meta, {s}:key:<hash>, {s}:request:<request>, {s}:holds, {s}:once:<digest>, {s}:wallet:<account>,
-- {s}:spend:<key id> and {s}:counted:<account>.
-- requires: reservation, limits, spending, hold, idempotency, usage, leases
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
--   rulesMark             all of the above are described in reservation.lua
--   request
--   detail                    the charge detail if the request is never settled
--   holdMs                    how long until the hold may be expired
--   tokens                    the number to count until the actual usage is known
--   idempotencyKeyDigest      empty if there is no Idempotency-Key
--   bodyDigest
--   unlimited                 1 for a deferred request: it counts towards no limit of requests, tokens or concurrent requests, and is
--                             refused if its cap would be lowered because of what other requests hold
-- Returns one of
--   OK account key cap amount epoch assignment dimensions     held, now or by an earlier delivery of the same request; if now, also `left`,
--                                       what the key may still spend, and, if that is limited, `streamsLeft`, how many
--                                       more requests may run concurrently
--   DONE outcome                        already settled or released: the request must not run
--   RECOVERING | KEY_UNKNOWN | KEY_INACTIVE | KEY_EXPIRED | EMAIL_UNPROVEN | PROJECT_ARCHIVED | MODEL_NOT_ALLOWED
--   OTHER_RULES rulesMark rules     the key has other rules (key-rules.ts): to be judged by, and repeated
--   ANSWERED answer                     the response to an earlier request with the same Idempotency-Key and body; empty
--                                       if it was too large to keep
--   IN_PROGRESS | REUSED                a request with this Idempotency-Key is running, or had a different body
--   MISS account                        not in this Redis; the ledger has been asked
--   LIMITED what scope limit waitMs     the limit of requests, tokens or concurrent requests is exceeded
--   SHORT available held                the balance is insufficient
--   BUDGET_SHORT left atRest period level most zone     the balance is sufficient, but a budget is not: `left` is what is left
--                                       of it, and `atRest` what all budgets will leave once no request holds anything
-- with the last three also `leasesOf`, the account, if requests may still begin from leases of it: what they give back may
-- change the refusal, so the request is not counted, and should be repeated. The rates are returned as described in
-- limits.lua: with ANSWERED and all that follow it except MISS, and with a new hold.

local request, digest = arguments.request, arguments.idempotencyKeyDigest
local wanted_rate = {requests = 1, tokens = amount(arguments.tokens), streams = 1}
local is_limited = arguments.unlimited ~= '1'
local hold_ms = amount(arguments.holdMs)

local refusal, key = check_reservation(arguments)
if refusal then return refusal end

local earlier_hold, outcome = read_request(request)
if outcome then return {status = 'DONE', outcome = outcome} end
if earlier_hold then
  return {
    status = 'OK', account = key.account, key = key.id, cap = text(earlier_hold.cap or arguments.outputCap),
    amount = text(earlier_hold.amount), epoch = key.epoch, assignment = earlier_hold.assignment,
    dimensions = key.dimensions,
  }
end

local wallet = read_wallet(key.account, key.id, true)
local limits = read_limits(key.limits, arguments.defaultLimits)
local spends, missing
if limits.budgets then spends, missing = read_spends(key, limits.budgets) end
if not wallet or missing then
  if not wallet then ask_ledger(key.account, '') end
  if missing then ask_spends(key, missing) end
  return {status = 'MISS', account = key.account}
end
local repetition = digest ~= '' and check_repetition(digest, arguments.bodyDigest)
local rates = read_rates(wallet)
local exceeded = is_limited and check_rates(rates, limits, repetition and unheld or wanted_rate)
if exceeded then return with_leases(with_rates(exceeded, rates, limits), key.account) end
if repetition then
  count_unheld(wallet, rates, limits)
  return with_rates(repetition, rates, limits)
end

local funds, tightest = wallet.available, nil
if spends then funds, tightest = spendable(wallet.available, spends, limits.budgets) end
local cap, wanted = grant_with_leases(funds, arguments, key.account)
local at_rest
if cap ~= arguments.outputCap then
  at_rest = wallet.available + wallet.held
  if spends then at_rest = spendable_at_rest(at_rest, spends, limits.budgets) end
end
-- No client waits for it, so it may wait for what others hold.
if cap and not is_limited and is_cut_by_holds(cap, at_rest, arguments) then cap = nil end
if not cap then
  local short = {status = 'SHORT', available = text(wallet.available), held = text(wallet.held)}
  if tightest and grant(wallet.available, arguments) then short = budget_short(tightest, funds, at_rest, key.zone) end
  with_leases(short, key.account)
  if is_limited and not short.leasesOf then count_unheld(wallet, rates, limits) end
  return with_rates(short, rates, limits)
end

wallet.available = wallet.available - wanted
wallet.held = wallet.held + wanted
if is_limited then
  write_wallet(wallet, with_request(wallet, rates, limits, wanted_rate))
else
  write_wallet(wallet)
end
local hold = {
  account = key.account, key = key.id, amount = wanted, progress = 0, cap = cap, atOnce = is_limited,
  tokens = is_limited and wanted_rate.tokens or 0, countedAt = is_limited and now_ms() or nil,
  detail = arguments.detail, assignment = key.assignment,
}
if is_limited then note_drain(hold, limits) end
if spends then
  join_spends(hold, key.epoch, spends)
  if not wallet.counted then mark_counted(wallet.key, hold.scopes) end
end
write_hold(request, hold)
redis.call('ZADD', holds_key, text(now_ms() + hold_ms), request)
if digest ~= '' then begin_once(digest, arguments.bodyDigest, request) end
return with_rates({
  status = 'OK', account = key.account, key = key.id, cap = text(cap), amount = text(wanted), epoch = key.epoch,
  assignment = key.assignment, dimensions = key.dimensions, left = text(funds - wanted), streamsLeft = streams_left(rates, limits),
}, rates, limits)
