#!lua
-- Holds money that is about to leave the wallet, so that no request can spend it until then. Repeating it extends the
-- deadline; after the deadline the money is available again.
--
-- Works on {s}:meta, {s}:request:<request>, {s}:holds and {s}:wallet:<account>.
-- requires: hold, epoch, clock, usage
-- arguments:
--   request
--   account
--   amount      what is wanted
--   lowest      the least that is worth holding; the same as `amount` if all of it is needed
--   holdMs      how long until the hold may be expired
-- Returns one of
--   OK amount          held until the new deadline
--   SHORT available    the wallet has less than `lowest`, or nothing
--   GONE outcome       the withdrawal has been applied or given up
--   RECOVERING         this Redis has to be compared with the ledger first
--   MISS               no wallet in this Redis; the ledger has been asked for it

local request, wanted, lowest = arguments.request, amount(arguments.amount), amount(arguments.lowest)
local deadline = text(now_ms() + amount(arguments.holdMs))

local meta = redis.call('HMGET', meta_key, 'mode', 'identity')
if meta[1] ~= 'open' or meta[2] ~= run_id() then return {status = 'RECOVERING'} end
local hold, outcome = read_request(request)
if outcome then return {status = 'GONE', outcome = outcome} end
if hold then
  redis.call('ZADD', holds_key, deadline, request)
  return {status = 'OK', amount = text(hold.amount)}
end
local wallet = read_wallet(arguments.account)
if not wallet then
  ask_ledger(arguments.account, '')
  return {status = 'MISS'}
end

local held = math.min(wanted, wallet.available)
if held <= 0 or held < lowest then return {status = 'SHORT', available = text(wallet.available)} end
wallet.available = wallet.available - held
wallet.held = wallet.held + held
write_wallet(wallet)
write_hold(request, {
  account = arguments.account, key = '0', amount = held, progress = 0, cap = 0, atOnce = false, withdrawal = true,
  detail = '',
})
redis.call('ZADD', holds_key, deadline, request)
return {status = 'OK', amount = text(held)}
