#!lua flags=allow-oom
-- Charges what requests of a lease have cost, and nothing else: what most draws are for (draw.lua), in less than half the
-- time. It is numbered as they are.
--
-- Works on {s}:meta, {s}:request:<lease>, {s}:usage, {s}:wallet:<account>, {s}:spend:<key id> and
-- {s}:counted:<account>.
-- requires: lease
-- arguments:
--   lease
--   number       of this draw
--   account
--   charges      as in draw.lua
--   packed       as in draw.lua
-- Returns OK amount streamId     what the lease has left, and the entry of the charges, or a later one
--         DRAW                   nothing was done: there is no such lease, or another draw comes first

local number = amount(arguments.number)
local hold = read_request(arguments.lease)
if hold and hold.lease == number then
  return {status = 'OK', amount = text(hold.amount), streamId = newest_usage_id()}
end
local wallet = hold and hold.lease == number - 1 and hold.epoch == read_epoch() and read_wallet(arguments.account)
if not wallet then return {status = 'DRAW'} end

for _, charge in ipairs(arguments.charges) do
  charge.cost, charge.tokens = amount(charge.cost), amount(charge.tokens)
end
hold.lease = number
local stream_id = charge_lease(wallet, hold, arguments.charges, {tokens = 0}, arguments.packed == '1')
write_wallet(wallet, 'spent', wallet.spent, 'seq', text(wallet.seq))
write_hold(arguments.lease, hold)
return {status = 'OK', amount = text(hold.amount), streamId = stream_id}
