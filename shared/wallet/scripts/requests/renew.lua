#!lua flags=allow-oom
-- Stores what a running request has delivered so far, to be charged if its proxy dies, and extends its deadline.
-- Restores a hold that was lost in a failover, and raises one that the output is about to exceed.
--
-- The progress never decreases: a renewal may arrive late, after a newer one.
--
-- Works on {s}:meta, {s}:request:<request>, {s}:holds, {s}:wallet:<account> and {s}:spend:<key id>.
-- requires: hold, epoch, clock, usage
-- arguments:
--   request
--   account
--   key
--   assignment   that of the hold, if it was lost
--   amount       the total to hold
--   progress     cost of what was delivered
--   detail       the charge detail of that cost
--   holdMs       how long until the hold may be expired
-- Returns one of
--   OK epoch            held until the new deadline
--   GONE outcome        the request has already ended: the stream must stop
--   SHORT available     the deadline was extended, but the wallet cannot cover the higher amount
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

local short = hold and wanted - hold.amount > math.max(wallet.available, 0)
local assignment = arguments.assignment ~= '' and arguments.assignment or nil
local lost = {account = account, key = arguments.key, amount = 0, atOnce = false, assignment = assignment}
if not hold and wallet.counted then rejoin_spends(lost, read_epoch()) end
-- A raised hold is not checked against budgets again: the response is already being delivered.
if not short then raise_hold(wallet, hold or lost, wanted) end
hold = hold or lost
if progress >= (hold.progress or 0) then hold.progress, hold.detail = progress, arguments.detail end
write_hold(request, hold)
redis.call('ZADD', holds_key, text(now_ms() + hold_ms), request)
if short then return {status = 'SHORT', available = text(wallet.available)} end
return {status = 'OK', epoch = read_epoch()}
