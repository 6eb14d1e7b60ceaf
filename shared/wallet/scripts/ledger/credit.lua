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
--   DUPLICATE           already applied
--   GAP creditSeq       the wallet's last credit; the credits after it must be sent first
--   MISS                no wallet: the credit is included when the wallet is hydrated

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
