#!lua flags=allow-oom
-- Applies the account's credit number `creditSeq` if it is the next one. A withdrawal is a credit that takes money, and
-- ends the hold that has set it aside.
--
-- Works on {s}:wallet:<account> and, for a withdrawal, {s}:request:<request> and {s}:holds.
-- requires: numbers, wallet, hold
-- arguments:
--   account
--   creditSeq
--   amount       what it adds
--   taken        what a withdrawal takes; 0 otherwise
--   request      the id of the withdrawal's hold; empty if there is none
-- Returns one of
--   OK
--   DUPLICATE           already applied
--   GAP creditSeq       the wallet's last credit; the credits after it must be sent first
--   MISS                no wallet: the credit is included when the wallet is hydrated

local number, request = amount(arguments.creditSeq), arguments.request
local credited = amount(arguments.amount) - amount(arguments.taken)

local wallet = read_wallet(arguments.account)
if not wallet then return {status = 'MISS'} end
local last = tonumber(redis.call('HGET', wallet.key, 'creditSeq'))
if number <= last then return {status = 'DUPLICATE'} end
if number > last + 1 then return {status = 'GAP', creditSeq = text(last)} end

if request ~= '' then
  end_hold(request, (read_request(request)), wallet)
  write_outcome(request, 'void')
end
wallet.available = wallet.available + credited
write_wallet(wallet)
redis.call('HINCRBY', wallet.key, 'credited', text(credited))
redis.call('HSET', wallet.key, 'creditSeq', text(number))
return {status = 'OK'}
