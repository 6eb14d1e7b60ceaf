#!lua flags=no-writes
-- Reads wallets of one shard together with the holds that are open, as they are at one moment. All values are handed
-- on as Redis has them: sums of them may be larger than a Lua number can hold exactly.
--
-- Works on {s}:meta, {s}:holds, {s}:wallet:<account>, {s}:orphans:<account> and {s}:request:<request>.
-- ARGV: accounts
-- Returns the shard's epoch, then for each account that has a wallet: account, available, held, spent, credited,
--   creditSeq, seq, version, the number of its orphans, and the amounts of its open holds, separated by commas.

local held_amounts = {}
for _, account in ipairs(ARGV) do held_amounts[account] = {} end
for _, request in ipairs(redis.call('ZRANGE', holds_key, 0, -1)) do
  local hold = read_request(request)
  local amounts = hold and held_amounts[hold.account]
  if amounts and hold.amount then amounts[#amounts + 1] = text(hold.amount) end
end

local reply = {redis.call('HGET', meta_key, 'epoch') or '0'}
local fields = {'available', 'held', 'spent', 'credited', 'creditSeq', 'seq', 'version'}
for _, account in ipairs(ARGV) do
  local values = redis.call('HMGET', tag .. ':wallet:' .. account, unpack(fields))
  if values[1] then
    reply[#reply + 1] = account
    for index = 1, #fields do reply[#reply + 1] = values[index] or '0' end
    reply[#reply + 1] = text(redis.call('HLEN', orphans_key_of(account)))
    reply[#reply + 1] = table.concat(held_amounts[account], ',')
  end
end
return reply
