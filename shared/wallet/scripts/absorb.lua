#!lua flags=allow-oom
-- Corrects wallets by what the ledger has decided about their orphans, each once. An orphan without a wallet stays:
-- hydrate.lua takes it into account when the wallet comes.
--
-- Works on {s}:orphans:<account>, {s}:wallet:<account> and {s}:spend:<key id>.
-- ARGV: for each orphan: account, key id, request, rank, and by how much its booking has changed what the account was
--       charged; 0 where the ledger had it already, negative where an estimate was too high
-- Returns OK.

for index = 1, #ARGV, 5 do
  local account, key_id, booked = ARGV[index], ARGV[index + 1], tonumber(ARGV[index + 4])
  local field = ARGV[index + 2] .. ':' .. ARGV[index + 3]
  local wallet = read_wallet(account)
  local orphan = wallet and redis.call('HGET', orphans_key_of(account), field)
  if orphan then
    redis.call('HDEL', orphans_key_of(account), field)
    local difference = booked - tonumber(string.match(orphan, ':(%-?%d+)$'))
    if difference ~= 0 then
      write_spent(wallet, difference)
      charge_key(key_id, difference)
    end
  end
end
return {'OK'}
