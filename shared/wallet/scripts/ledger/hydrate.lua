#!lua flags=allow-oom
-- Creates a wallet in Redis from the ledger, minus the charges that were made while it was missing and are not in the
-- ledger yet.
--
-- Works on {s}:wallet:<account> and {s}:orphans:<account>.
-- requires: numbers, wallet, charge
-- arguments:
--   account
--   balance       this and the next three are the ledger's
--   credited
--   spent
--   creditSeq
--   orphans       a list of {request, rank, charged}: the ledger's charge for an orphan and its rank; 0 without one
-- Returns one of
--   OK
--   EXISTS        the wallet already exists
--   AGAIN         there is an orphan that the caller did not know of: read the ledger again

local account, credit_seq = arguments.account, amount(arguments.creditSeq)

if read_wallet(account) then return {status = 'EXISTS'} end

local in_ledger = {}
for _, orphan in ipairs(arguments.orphans) do
  in_ledger[orphan.request] = {rank = amount(orphan.rank), charged = amount(orphan.charged)}
end

-- The ledger accepts a charge only if its rank is higher than the one it has, and ignores one of the same rank regardless of
-- its cost. So only the highest-ranked orphan of each request counts.
local orphans_key = orphans_key_of(account)
local orphans = redis.call('HGETALL', orphans_key)
local highest = {}
for index = 1, #orphans, 2 do
  local request, rank = string.match(orphans[index], '^([^:]+):(%d)$')
  rank = tonumber(rank)
  if not in_ledger[request] then return {status = 'AGAIN'} end
  if not highest[request] or highest[request].rank < rank then
    highest[request] = {rank = rank, cost = tonumber(string.match(orphans[index + 1], '^%d+'))}
  end
end
for index = 1, #orphans, 2 do
  local request, rank = string.match(orphans[index], '^([^:]+):(%d)$')
  local booked, best = in_ledger[request], highest[request]
  local is_to_come = tonumber(rank) == best.rank and best.rank > booked.rank
  correct_counted(account, orphans[index + 1], is_to_come and best.cost - booked.charged or 0)
end
local not_in_ledger = 0
for request, orphan in pairs(highest) do
  local booked = in_ledger[request]
  if orphan.rank > booked.rank then not_in_ledger = not_in_ledger + orphan.cost - booked.charged end
end

local key = tag .. ':wallet:' .. account
redis.call('HSET', key,
  'available', arguments.balance, 'held', '0', 'spent', arguments.spent, 'credited', arguments.credited,
  'creditSeq', text(credit_seq), 'seq', '0', 'version', '0')
redis.call('HINCRBY', key, 'available', text(-not_in_ledger))
redis.call('HINCRBY', key, 'spent', text(not_in_ledger))
redis.call('DEL', orphans_key)
return {status = 'OK'}
