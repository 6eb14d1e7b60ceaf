#!lua flags=allow-oom
-- Ends a request with its final cost (rank 2): returns the hold, charges the wallet, appends the usage event and
-- writes the outcome. Works with any epoch, without a hold and without a wallet. Never takes a wallet below zero:
-- what it cannot cover is reported in the event and is the gateway's loss.
--
-- Works on {s}:meta, {s}:request:<request>, {s}:holds, {s}:orphans:<account>, {s}:usage, {s}:once:<use>,
-- {s}:wallet:<account>, {s}:spend:<key id> and {s}:kept:<account>.
-- ARGV: 1 request id  2 account  3 key id  4 cost  5 detail  6 tokens used
--       7 what names the Idempotency-Key, empty where there is none
--       8 the answer to keep for it, empty if it is too large to be kept
-- Returns one of
--   OK streamId           charged now; after an estimate, the difference was posted
--   DUPLICATE streamId    settled or released before: nothing was done; its entry, if any, is not behind this id

local request, account, key_id, cost, detail = ARGV[1], ARGV[2], ARGV[3], amount(ARGV[4]), ARGV[5]
local tokens = amount(ARGV[6])

local hold, outcome = read_request(request)
local estimate = outcome and string.match(outcome, '^1:(%d+)$')
if outcome and not estimate then return {'DUPLICATE', text(now_ms() + 1) .. '-0'} end

local wallet = read_wallet(account, key_id, hold and hold.stream)
local before = tonumber(estimate or '0')
local charged = cost
end_hold(request, hold, wallet)
if wallet then
  charged = math.min(cost, before + math.max(wallet.available, 0))
  wallet.available = wallet.available - (charged - before)
  write_charged(wallet, charged - before, without_request(wallet, hold, tokens))
else
  redis.call('HSET', tag .. ':orphans:' .. account, request, text(charged))
end
if not hold or hold.capped then charge_key(key_id, charged - before) end
if ARGV[7] ~= '' then finish_once(ARGV[7], request, account, ARGV[8]) end
write_outcome(request, '2:' .. text(charged))
local stream_id = append_charge(wallet, {
  account = account, key = key_id, request = request, rank = '2',
  cost = charged, uncharged = cost - charged, detail = detail,
})
return {'OK', stream_id}
