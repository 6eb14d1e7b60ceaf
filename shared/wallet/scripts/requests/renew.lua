#!lua flags=allow-oom
-- Stores what a running request has delivered so far, to be charged if its proxy dies, and extends its deadline.
-- Restores a hold that was lost in a failover, and raises one that the output is about to exceed.
--
-- The progress never decreases: a renewal may arrive late, after a newer one.
--
-- Works on {s}:meta, {s}:request:<request>, {s}:holds, {s}:wallet:<account>, {s}:key:<hash>,
-- {s}:spend:<key id> and {s}:counted:<account>.
-- requires: hold, epoch, clock, usage, budget-room
-- arguments:
--   request
--   account
--   key
--   assignment   that of the hold, if it was lost
--   amount       the total to hold
--   progress     cost of what was delivered
--   detail       the charge detail of that cost
--   holdMs       how long until the hold may be expired
--   keyHash      whose budgets are asked if the amount is more than was held
-- Returns one of
--   OK epoch            held until the new deadline
--   GONE outcome        the request has already ended: the stream must stop
--   SHORT available     the deadline was extended, but the wallet or a budget does not cover the higher amount
--   MISS                no wallet in this Redis: nothing was stored, and the ledger has been asked for it

local request, account = arguments.request, arguments.account
local wanted, progress, hold_ms = amount(arguments.amount), amount(arguments.progress), amount(arguments.holdMs)

local hold, outcome = read_request(request)
if outcome then return {status = 'GONE', outcome = outcome} end
local wallet = read_wallet(account)
if not wallet then
  ask_ledger(account, '')
  return {status = 'MISS'}
end

local more, room = hold and wanted - hold.amount or 0, 0
if more > 0 then room = room_in_budgets(wallet.available, arguments.keyHash, hold.assignment, hold) end
local short = more > math.max(room, 0)
local assignment = arguments.assignment ~= '' and arguments.assignment or nil
local lost = {account = account, key = arguments.key, amount = 0, atOnce = false, assignment = assignment}
hold = hold or lost
-- A budget may have been made since it began, and a recovery starts new records.
if wallet.counted and hold.capped ~= read_epoch() then rejoin_spends(hold, read_epoch()) end
if not short then raise_hold(wallet, hold, wanted) end
if progress >= (hold.progress or 0) then hold.progress, hold.detail = progress, arguments.detail end
write_hold(request, hold)
redis.call('ZADD', holds_key, text(now_ms() + hold_ms), request)
if short then return {status = 'SHORT', available = text(wallet.available)} end
return {status = 'OK', epoch = read_epoch()}
