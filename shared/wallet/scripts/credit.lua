#!lua flags=allow-oom
-- Applies the account's credit number `creditSeq` if it is the next one.
--
-- Works on {s}:wallet:<account>.
-- requires: numbers, wallet
-- arguments:
--   account
--   creditSeq
--   amount
-- Returns one of
--   OK
--   DUPLICATE           applied before
--   GAP creditSeq       the wallet's last credit; the ones after it must be sent first
--   MISS                no wallet: the credit comes with the wallet, from the ledger

local number, credited = amount(order.creditSeq), amount(order.amount)

local wallet = read_wallet(order.account)
if not wallet then return {status = 'MISS'} end
local last = tonumber(redis.call('HGET', wallet.key, 'creditSeq'))
if number <= last then return {status = 'DUPLICATE'} end
if number > last + 1 then return {status = 'GAP', creditSeq = text(last)} end

wallet.available = wallet.available + credited
write_wallet(wallet)
redis.call('HINCRBY', wallet.key, 'credited', text(credited))
redis.call('HSET', wallet.key, 'creditSeq', text(number))
return {status = 'OK'}
