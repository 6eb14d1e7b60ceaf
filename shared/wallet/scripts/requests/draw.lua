#!lua flags=allow-oom
-- Everything about a lease (lease.lua): charges what its requests cost, gives requests that take longer a hold of their
-- own, and fills the lease up, shrinks it or ends it. The first draw opens it.
--
-- Draws of a lease are numbered, and each number is applied once. A lease is lost if it has expired, this Redis has lost it, or
-- it is from before a recovery, which has set wallets to the ledger's sums. Nothing is drawn from it any more; its last draw,
-- without charges, gives running requests what is left of it and ends it.
--
-- What a proxy keeps is never taken away, because requests may just be beginning from it. Less than it wants is
-- given if the wallet, a budget or another limit is too small: a lease has at most 1/64 of each.
--
-- Works on {s}:meta, {s}:key:<hash>, {s}:request:<lease or request>, {s}:holds, {s}:leases:<account>,
-- {s}:orphans:<account>, {s}:usage, {s}:wallet:<account>,
-- {s}:spend:<key id> and {s}:counted:<account>.
-- requires: key, spending, lease
-- arguments:
--   lease
--   number           of this draw; 1 opens the lease
--   keyHash
--   account
--   key
--   identity         the run id of the Redis that the caller is connected to
--   defaultLimits    the limits of a key without its own, as described in limits.lua
--   begun            how many requests have begun from it since the last draw
--   usedTokens       how many tokens those have used whose charges came before this draw (charge-lease.lua)
--   keep             what must not be taken away: {amount, requests, tokens, streams}
--   want             what it should have, likewise
--   next             `open`; `closed` if the caller begins no more requests from it; `ended` if none is left of it
--   charges          a list of what requests have cost: {request, cost, tokens, detail}
--   packed           1 if they may be one entry of the usage stream (usage-format.ts)
--   promoted         a list of requests that get a hold of their own: {request, amount, cap, tokens, progress, detail}
--   spanMs           for how long requests may begin from it
--   holdMs           how long until it, or the hold of a promoted request, may be expired
-- Returns one of
--   OK models expiresInMs dimensions rulesMark     applied, and requests may begin: `models` are those that the key may use,
--                            between line feeds, or empty; `expiresInMs` is empty if the key does not expire; `dimensions` as in
--                            its record; `rulesMark` is of the rules that a request is judged by, or empty
--   CLOSED reason            applied, but no more requests may begin: a refusal of the key, RECOVERING, MISS or RECALLED
--   ENDED                    the lease has ended
--   LOST                     the lease is lost: nothing was done
--   STALE                    a later number was applied before: nothing was done
-- and all of them with `streamId`, the entry of the charges or a later one; empty if the ledger has every entry. OK and
-- CLOSED also with `epoch`, and with what the lease has now: `amount`, and `requestsLeased`, `tokensLeased` and
-- `streamsLeased`, which are empty without a limit. OK also with the rates as described in limits.lua. If this number was
-- applied before, what it has is not changed again.

local lease, account, key_id, number = arguments.lease, arguments.account, arguments.key, amount(arguments.number)
local begun, used_tokens, deadline = amount(arguments.begun), amount(arguments.usedTokens), text(now_ms() + amount(arguments.holdMs))
local until_ms = text(now_ms() + amount(arguments.spanMs))

local function to_numbers(record, ...)
  for _, name in ipairs({...}) do record[name] = amount(record[name]) end
  return record
end
local keep = to_numbers(arguments.keep, 'amount', 'requests', 'tokens', 'streams')
local want = to_numbers(arguments.want, 'amount', 'requests', 'tokens', 'streams')
for _, charge in ipairs(arguments.charges) do to_numbers(charge, 'cost', 'tokens') end
for _, request in ipairs(arguments.promoted) do to_numbers(request, 'amount', 'cap', 'tokens', 'progress') end

local hold, outcome = read_request(lease)
local last = hold and hold.lease or tonumber(outcome and string.match(outcome, '^2:0:(%d+)$') or '0')
if number < last then return {status = 'STALE', streamId = newest_usage_id()} end
if number == last then
  if not hold then return {status = 'ENDED', streamId = newest_usage_id()} end
  begun, used_tokens, arguments.charges, arguments.promoted = 0, 0, {}, {}
  keep = shares_of(hold)
  keep.amount = hold.amount
  want = keep
end

local is_new = number == 1 and not hold and not outcome
if is_new then drop_lost_leases(account) end
local refusal, key = check_key(arguments.keyHash, arguments.identity)
local wallet = read_wallet(account, key_id, true)
if is_new and (refusal or not wallet or is_recalled(wallet) or redis.call('HLEN', leases_key_of(account)) >= leases_max) then
  forget_lease(lease, {account = account, key = key_id, lease = number})
  return {status = 'ENDED', streamId = ''}
end
if not wallet or not is_new and not (hold and hold.epoch == read_epoch()) then
  if arguments.next ~= 'ended' or #arguments.charges > 0 then return {status = 'LOST', streamId = ''} end
  if hold and wallet then
    for _, request in ipairs(arguments.promoted) do promote(hold, request, nil, deadline, false) end
    expire_lease(lease, hold, wallet)
  end
  forget_lease(lease, {account = account, key = key_id, lease = number})
  return {status = 'ENDED', streamId = ''}
end

hold = hold or {
  account = account, key = key_id, amount = 0, progress = 0, cap = 0, atOnce = true, withdrawal = true, detail = '',
  epoch = read_epoch(), requests = 0, tokens = 0, streams = 0, assignment = key and key.assignment,
}
hold.lease = number
local former = shares_of(hold)
local limits = key and read_limits(key.limits, arguments.defaultLimits)
-- What its requests cost belongs to where the key was when it was opened.
local is_moved = key and hold.assignment ~= key.assignment
local spends, missing
if limits and limits.budgets and not is_moved then spends, missing = read_spends(key, limits.budgets) end
-- Since the last draw, a budget may have been made that does not cover what the lease has: it has to end.
if spends and not missing and join_spends(hold, key.epoch, spends) and not is_new then hold.outgrown = true end

local used = {requests = begun, tokens = used_tokens}
local stream_id = charge_lease(wallet, hold, arguments.charges, used, arguments.packed == '1')
-- Its charges were applied before.
if number == last then stream_id = newest_usage_id() end
local promoted = 0
for _, request in ipairs(arguments.promoted) do
  if promote(hold, request, limits, deadline, true) then
    promoted = promoted + 1
    used.tokens = used.tokens + request.tokens
  end
end
local rates = read_rates(wallet)
if limits then count_used(rates, limits, used) end

-- It was recalled while its proxy was silent. Now it gives back what no request uses.
local was_recalled = is_recalled_lease(account, lease)
local must_return = is_recalled(wallet) or was_recalled or is_moved or hold.outgrown
local reason = refusal and refusal.status or must_return and 'RECALLED' or nil
if not reason and missing then
  ask_spends(key, missing)
  reason = 'MISS'
end
local target = reason and keep or want

local room = math.floor((wallet.available + hold.amount) / lease_part)
if spends and not missing then
  room = math.min(room, math.floor((spendable(wallet.available, spends, limits.budgets) + hold.amount) / lease_part))
end
local wanted = math.max(keep.amount, math.min(target.amount, room))
move_into_lease(wallet, hold, math.min(wanted - hold.amount, math.max(wallet.available, 0)))
local reply = {streamId = stream_id, epoch = read_epoch(), amount = text(hold.amount)}
for what in pairs(no_shares) do
  local most = limits and room_for(what, former[what], rates, limits)
  if not limits then
    hold[what] = math.min(hold[what], keep[what])
  else
    hold[what] = most and math.max(keep[what], math.min(target[what], math.max(0, most))) or 0
  end
  reply[what .. 'Leased'] = most and text(hold[what]) or ''
end

local is_over = arguments.next == 'ended'
if is_over then move_into_lease(wallet, hold, -hold.amount) end
local fields = {
  'spent', wallet.spent, 'seq', text(wallet.seq), 'rate', pack_rate(rates.account),
  'streams', text(rates.account_streams + promoted),
  with_shares(wallet, former, is_over and no_shares or shares_of(hold)),
}
-- A deleted key has no fields any more.
if key or wallet.key_rate then
  local last_field = #fields
  fields[last_field + 1], fields[last_field + 2] = 'rate:' .. key_id, pack_rate(rates.key)
  fields[last_field + 3], fields[last_field + 4] = 'streams:' .. key_id, text(rates.key_streams + promoted)
end
write_wallet(wallet, unpack(fields))
if is_over then
  forget_lease(lease, hold)
  return {status = 'ENDED', streamId = stream_id}
end
write_hold(lease, hold)
redis.call('ZADD', holds_key, deadline, lease)
if arguments.next == 'closed' or was_recalled then until_ms = '0' end
if not reason or arguments.next == 'closed' or was_recalled then
  redis.call('HSET', leases_key_of(account), lease, key_id .. ':' .. until_ms)
end
if reason then
  reply.status, reply.reason = 'CLOSED', reason
else
  reply.status, reply.models, reply.dimensions, reply.rulesMark = 'OK', key.models, key.dimensions, key.rulesMark
  reply.expiresInMs = key.expiresAt == '' and '' or text(tonumber(key.expiresAt) - now_ms())
  with_rates(reply, rates, limits)
end
return reply
