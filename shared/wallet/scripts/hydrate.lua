#!lua flags=allow-oom
-- Puts a wallet into Redis from the ledger, less the charges that were made while it was missing and are not in the
-- ledger yet.
--
-- Works on {s}:wallet:<account> and {s}:orphans:<account>.
-- ARGV: 1 account  2 ledger's balance  3 ledger's credited  4 ledger's spent  5 ledger's creditSeq
--       6 number of orphans, then for each: request, what the ledger has charged for it
-- Returns one of
--   OK
--   EXISTS        there is a wallet already
--   AGAIN         an orphan has come in that the caller did not know of: read the ledger again

local account, balance, credited, spent = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local credit_seq, orphan_count = amount(ARGV[5]), amount(ARGV[6])

if read_wallet(account) then return {'EXISTS'} end

local in_ledger = {}
local position = 7
for _ = 1, orphan_count do
  in_ledger[ARGV[position]] = amount(ARGV[position + 1])
  position = position + 2
end
local not_in_ledger = 0
local orphans_key = tag .. ':orphans:' .. account
local orphans = redis.call('HGETALL', orphans_key)
for index = 1, #orphans, 2 do
  local charged = in_ledger[orphans[index]]
  if not charged then return {'AGAIN'} end
  not_in_ledger = not_in_ledger + tonumber(orphans[index + 1]) - charged
end

local key = tag .. ':wallet:' .. account
redis.call('HSET', key,
  'available', balance, 'held', '0', 'spent', spent, 'credited', credited,
  'creditSeq', text(credit_seq), 'seq', '0', 'version', '0')
redis.call('HINCRBY', key, 'available', text(-not_in_ledger))
redis.call('HINCRBY', key, 'spent', text(not_in_ledger))
redis.call('DEL', orphans_key)
return {'OK'}
