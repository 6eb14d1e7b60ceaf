#!lua flags=allow-oom
-- Sets a wallet to the ledger's figures, if it has not changed since the caller read it. The account's open holds are
-- summed here, so that none is missed or counted twice. The caller has already counted the account's orphans among the
-- charges, so they are deleted.
--
-- Works on {s}:holds, {s}:wallet:<account>, {s}:orphans:<account> and {s}:request:<request>.
-- requires: numbers, wallet, hold, charge
-- arguments:
--   account
--   version       the version that was read
--   balance       the ledger's, minus the charges that are still on their way to it; may be negative
--   spent         including these charges
--   credited
--   creditSeq
-- Returns one of
--   OK available held
--   MOVED version         the wallet has changed since: read it again
--   MISS                  no wallet: it will be hydrated from the ledger

local account, balance = arguments.account, tonumber(arguments.balance)
local credit_seq = amount(arguments.creditSeq)
if not balance or balance ~= math.floor(balance) or math.abs(balance) >= 9007199254740992 then
  error('not a balance: ' .. tostring(arguments.balance))
end
for _, total in ipairs({arguments.spent, arguments.credited}) do
  if not string.match(total, '^%d+$') then error('not a total: ' .. total) end
end

local wallet = read_wallet(account)
if not wallet then return {status = 'MISS'} end
if text(wallet.version) ~= arguments.version then return {status = 'MOVED', version = text(wallet.version)} end

local held = 0
for _, request in ipairs(redis.call('ZRANGE', holds_key, 0, -1)) do
  local hold = read_request(request)
  if hold and hold.account == account then held = held + (hold.amount or 0) end
end

wallet.available = balance - held
wallet.held = held
write_wallet(wallet)
redis.call('HSET', wallet.key, 'spent', arguments.spent, 'credited', arguments.credited, 'creditSeq', text(credit_seq))
redis.call('DEL', orphans_key_of(account))
return {status = 'OK', available = text(wallet.available), held = text(wallet.held)}
