#!lua flags=allow-oom
-- Ends a request with its final cost (rank 2): returns the hold, charges the wallet, appends the usage event and
-- writes the outcome. Works with any epoch, without a hold and without a wallet. Never takes a wallet below zero, nor a
-- budget past its amount: the part that they cannot cover is reported in the event and is the gateway's loss.
--
-- If the hold was lost, the charge is an orphan (charge.lua), unless the epoch is still the one in which the hold was
-- confirmed: then no recovery has set the wallet to the ledger's sums.
--
-- Works on {s}:meta, {s}:request:<request>, {s}:holds, {s}:orphans:<account>, {s}:usage, {s}:once:<digest>,
-- {s}:wallet:<account>, {s}:key:<hash>, {s}:spend:<key id>, {s}:counted:<account> and {s}:kept:<account>.
-- requires: hold, charge, rate-end, epoch, idempotency, budget-room
-- arguments:
--   request
--   account
--   key
--   assignment                that of the hold, if it was lost
--   cost
--   detail
--   tokens                    the number used
--   confirmedEpoch            the epoch in which the hold was last confirmed
--   charged                   how much of the cost another Redis has charged: the most to charge here; empty if unknown
--   idempotencyKeyDigest      empty if there is no Idempotency-Key
--   answer                    the response to keep for it; empty if it is too large
--   keyHash                   whose budgets are asked if it costs more than was held; empty if the charge is sent again
-- Returns one of
--   OK streamId charged           charged now; after an estimate, the difference was posted
--   DUPLICATE streamId charged    already settled or released: nothing was done. If the ledger does not have its entry
--                                 yet, the entry is at or before this id. `charged` is empty after a release

local request, account, key_id = arguments.request, arguments.account, arguments.key
local cost, tokens = amount(arguments.cost), amount(arguments.tokens)
local charged = arguments.charged == '' and cost or math.min(cost, amount(arguments.charged))

local hold, outcome = read_request(request)
local estimate = outcome and string.match(outcome, '^1:(%d+)')
if outcome and not estimate then
  return {
    status = 'DUPLICATE', streamId = newest_usage_id(), charged = string.match(outcome, '^2:(%d+)') or '',
  }
end

local epoch = read_epoch()
local assignment = hold and hold.assignment or arguments.assignment ~= '' and arguments.assignment or nil
local wallet = read_wallet(account, key_id, hold and hold.atOnce)
local is_orphan = not wallet or was_lost(hold) or not hold and epoch ~= arguments.confirmedEpoch
local before = tonumber(estimate or '0')
local covered = before + (hold and hold.amount or 0)
if charged > covered and wallet and not is_orphan then
  charged = math.min(charged, covered + math.max(room_in_budgets(wallet.available, arguments.keyHash, assignment, hold), 0))
end
end_hold(request, hold, wallet)
if wallet then charged = math.min(charged, before + math.max(wallet.available, 0)) end
if arguments.idempotencyKeyDigest ~= '' then
  finish_once(arguments.idempotencyKeyDigest, request, account, arguments.answer)
end
write_outcome(request, '2:' .. text(charged))
local stream_id = post_charge(wallet, {
  account = account, key = key_id, request = request, rank = '2', epoch = epoch,
  cost = charged, uncharged = cost - charged, detail = arguments.detail,
  assignment = assignment,
}, charged - before, is_orphan, hold, without_request(wallet, hold, tokens))
return {status = 'OK', streamId = stream_id, charged = text(charged)}
