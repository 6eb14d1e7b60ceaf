#!lua flags=no-writes
-- Reads wallets of one shard together with the holds that are open, as they are at one moment. All values are handed
-- on as Redis has them: sums of them may be larger than a Lua number can hold exactly.
--
-- KEYS: 1 {s}:meta  2 {s}:holds  and {s}:wallet:<account>, {s}:hold:<request>
-- ARGV: accounts
-- Returns the shard's epoch, then for each account that has a wallet: account, available, held, spent, credited,
--   creditSeq, seq, version, and the amounts of its open holds, separated by commas.

local held_amounts = {}
for _, account in ipairs(ARGV) do held_amounts[account] = {} end
for _, request in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  local hold = redis.call('HMGET', tag .. ':hold:' .. request, 'account', 'amount')
  local amounts = hold[1] and held_amounts[hold[1]]
  if amounts and hold[2] then amounts[#amounts + 1] = hold[2] end
end

local reply = {redis.call('HGET', KEYS[1], 'epoch') or '0'}
local fields = {'available', 'held', 'spent', 'credited', 'creditSeq', 'seq', 'version'}
for _, account in ipairs(ARGV) do
  local values = redis.call('HMGET', tag .. ':wallet:' .. account, unpack(fields))
  if values[1] then
    reply[#reply + 1] = account
    for index = 1, #fields do reply[#reply + 1] = values[index] or '0' end
    reply[#reply + 1] = table.concat(held_amounts[account], ',')
  end
end
return reply
