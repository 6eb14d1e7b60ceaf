#!lua flags=allow-oom
-- Ends a request with its final cost (rank 2): returns the hold, charges the wallet, appends the usage event and
-- writes the outcome. Works with any epoch, without a hold and without a wallet. Never takes a wallet below zero:
-- what it cannot cover is reported in the event and is the gateway's loss.
--
-- KEYS: 1 {s}:meta  2 {s}:hold:<request>  3 {s}:holds  4 {s}:done:<request>  5 {s}:orphans:<account>
--       6 {s}:usage  and {s}:wallet:<account>
-- ARGV: 1 request id  2 account  3 key id  4 cost  5 detail
-- Returns one of
--   OK streamId           charged now; after an estimate, the difference was posted
--   DUPLICATE streamId    settled or released before: nothing was done; its entry, if any, is not behind this id

local request, account, key_id, cost, detail = ARGV[1], ARGV[2], ARGV[3], amount(ARGV[4]), ARGV[5]

local outcome = redis.call('GET', KEYS[4])
local estimate = outcome and string.match(outcome, '^1:(%d+)$')
if outcome and not estimate then return {'DUPLICATE', text(now_ms() + 1) .. '-0'} end

local wallet = read_wallet(account)
local hold = read_hold(request)
local charged = cost
if wallet then
  local before = tonumber(estimate or '0')
  local returned = hold and hold.amount or 0
  wallet.available = wallet.available + returned
  wallet.held = wallet.held - returned
  charged = math.min(cost, before + math.max(wallet.available, 0))
  wallet.available = wallet.available - (charged - before)
  write_wallet(wallet)
  raise_spent(wallet, charged - before)
else
  redis.call('HSET', KEYS[5], request, text(charged))
end
remove_hold(request)
write_outcome(request, '2:' .. text(charged))
local stream_id = append_charge(wallet, {
  account = account, key = key_id, request = request, rank = '2',
  cost = charged, uncharged = cost - charged, detail = detail,
})
return {'OK', stream_id}
