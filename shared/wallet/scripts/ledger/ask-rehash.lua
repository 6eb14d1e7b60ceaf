#!lua
-- Asks the ledger, through the stream, to store a key under the hash of a new pepper; at most once a minute for a key.
--
-- Works on {s}:key:<hash>, {s}:asked:<account>:<key>:rehash and {s}:usage.
-- requires: usage
-- arguments:
--   keyHash     the hash by which the key is known
--   newHash
--   pepperMark  of the pepper that the new hash was made with
-- Returns OK, even if the ledger has been asked already or the key is gone.

local key = redis.call('HMGET', tag .. ':key:' .. arguments.keyHash, 'account', 'id')
if key[1] and redis.call('SET', tag .. ':asked:' .. key[1] .. ':' .. key[2] .. ':rehash', '1', 'NX', 'EX', 60) then
  append_usage({kind = 'rehash', account = key[1], key = key[2], former = arguments.keyHash, hash = arguments.newHash,
    pepper = arguments.pepperMark})
end
return {status = 'OK'}
