#!lua flags=no-writes
-- Reads a consistent snapshot of wallets of one shard and their open holds. Values are returned exactly as Redis stores
-- them, because their sums may be larger than a Lua number can hold exactly.
--
-- Works on {s}:meta, {s}:holds, {s}:wallet:<account>, {s}:orphans:<account> and {s}:request:<request>.
-- requires: numbers, hold, charge, epoch
-- arguments:
--   accounts      a list of ids
-- Returns OK epoch recovering wallets, where `recovering` is 1 if this Redis may have lost charges and has yet to be compared
--   with the ledger, and wallets is a JSON list of {account, available, held, spent, credited, creditSeq, seq, version, orphans,
--   openHolds}: `orphans` is their number, `openHolds` the amounts separated by commas.
--   Accounts without a wallet are left out.

local held_amounts = {}
for _, account in ipairs(arguments.accounts) do held_amounts[account] = {} end
for _, request in ipairs(redis.call('ZRANGE', holds_key, 0, -1)) do
  local hold = read_request(request)
  local amounts = hold and held_amounts[hold.account]
  if amounts and hold.amount then amounts[#amounts + 1] = text(hold.amount) end
end

local wallets = {}
local fields = {'available', 'held', 'spent', 'credited', 'creditSeq', 'seq', 'version'}
for _, account in ipairs(arguments.accounts) do
  local values = redis.call('HMGET', tag .. ':wallet:' .. account, unpack(fields))
  if values[1] then
    local wallet = {
      account = account, orphans = text(redis.call('HLEN', orphans_key_of(account))),
      openHolds = table.concat(held_amounts[account], ','),
    }
    for index, field in ipairs(fields) do wallet[field] = values[index] or '0' end
    wallets[#wallets + 1] = wallet
  end
end
local meta = redis.call('HMGET', meta_key, 'mode', 'identity')
local is_recovering = meta[1] == 'recovering' or meta[2] and meta[2] ~= run_id()
return {status = 'OK', epoch = read_epoch(), recovering = is_recovering and '1' or '', wallets = cjson.encode(wallets)}
