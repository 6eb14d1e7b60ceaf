#!lua flags=allow-oom
-- Applies the account's credit number `creditSeq` if it is the next one.
--
-- Works on {s}:wallet:<account>.
-- ARGV: 1 account  2 creditSeq  3 amount
-- Returns one of
--   OK
--   DUPLICATE           applied before
--   GAP creditSeq       the wallet's last credit; the ones after it must be sent first
--   MISS                no wallet: the credit comes with the wallet, from the ledger

local account, number, credited = ARGV[1], amount(ARGV[2]), amount(ARGV[3])

local wallet = read_wallet(account)
if not wallet then return {'MISS'} end
local last = tonumber(redis.call('HGET', wallet.key, 'creditSeq'))
if number <= last then return {'DUPLICATE'} end
if number > last + 1 then return {'GAP', text(last)} end

wallet.available = wallet.available + credited
write_wallet(wallet)
redis.call('HINCRBY', wallet.key, 'credited', text(credited))
redis.call('HSET', wallet.key, 'creditSeq', text(number))
return {'OK'}
