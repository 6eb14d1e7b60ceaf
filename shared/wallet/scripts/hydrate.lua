#!lua flags=allow-oom
-- Puts a wallet into Redis from the ledger, less the charges that were made while it was missing and are not in the
-- ledger yet.
--
-- Works on {s}:wallet:<account> and {s}:orphans:<account>.
-- ARGV: 1 account  2 ledger's balance  3 ledger's credited  4 ledger's spent  5 ledger's creditSeq
--       6 number of orphans, then for each: request, the rank of the ledger's charge for it (0 without one), that charge
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
  in_ledger[ARGV[position]] = {rank = amount(ARGV[position + 1]), charged = amount(ARGV[position + 2])}
  position = position + 3
end

-- The ledger takes a charge only where its rank is higher than what it has; one of the same rank it ignores, whatever its
-- cost. So of each request the orphan with the highest rank counts. One without a rank counts as final.
local orphans_key = orphans_key_of(account)
local orphans = redis.call('HGETALL', orphans_key)
local highest = {}
for index = 1, #orphans, 2 do
  local request, rank = string.match(orphans[index], '^([^:]+):?(%d?)$')
  rank = tonumber(rank) or 2
  if not in_ledger[request] then return {'AGAIN'} end
  if not highest[request] or highest[request].rank < rank then
    highest[request] = {rank = rank, cost = tonumber(string.match(orphans[index + 1], '^%d+'))}
  end
end
local not_in_ledger = 0
for request, orphan in pairs(highest) do
  local booked = in_ledger[request]
  if orphan.rank > booked.rank then not_in_ledger = not_in_ledger + orphan.cost - booked.charged end
end

local key = tag .. ':wallet:' .. account
redis.call('HSET', key,
  'available', balance, 'held', '0', 'spent', spent, 'credited', credited,
  'creditSeq', text(credit_seq), 'seq', '0', 'version', '0')
redis.call('HINCRBY', key, 'available', text(-not_in_ledger))
redis.call('HINCRBY', key, 'spent', text(not_in_ledger))
redis.call('DEL', orphans_key)
return {'OK'}
