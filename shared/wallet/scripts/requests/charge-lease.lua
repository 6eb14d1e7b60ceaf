#!lua flags=allow-oom
-- Charges what requests of a lease have cost, and nothing else: what most draws are for (draw.lua), in a fraction of the
-- time. It is numbered as they are. The lease has to cover all of the charges; they are not looked at one by one.
--
-- Works on {s}:meta, {s}:request:<lease>, {s}:usage, {s}:wallet:<account>, {s}:spend:<key id> and
-- {s}:counted:<account>.
-- requires: lease
-- arguments:
--   lease
--   number       of this draw
--   account
--   cost         the sum of the charges
--   count        their number
--   charges      what is written of them into the usage stream: a JSON list of request, cost, uncharged cost, which is 0, and
--                detail of each
-- Returns OK amount streamId     what the lease has left, and the entry of the charges, or a later one
--         DRAW                   nothing was done: there is no such lease, another draw comes first, or it has too little

local number, cost, count = amount(arguments.number), amount(arguments.cost), amount(arguments.count)
local hold = read_request(arguments.lease)
if hold and hold.lease == number then
  return {status = 'OK', amount = text(hold.amount), streamId = newest_usage_id()}
end
local wallet = hold and hold.lease == number - 1 and hold.epoch == read_epoch() and read_wallet(arguments.account)
if not wallet or cost > hold.amount or wallet.available < 0 then return {status = 'DRAW'} end

hold.lease = number
local stream_id = charge_covered(wallet, hold, cost, count, arguments.charges)
write_wallet(wallet, 'spent', wallet.spent, 'seq', text(wallet.seq))
write_hold(arguments.lease, hold)
return {status = 'OK', amount = text(hold.amount), streamId = stream_id}
