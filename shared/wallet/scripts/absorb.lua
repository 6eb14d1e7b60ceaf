#!lua flags=allow-oom
-- Corrects wallets by what the ledger has decided about their orphans, each once. An orphan without a wallet stays:
-- hydrate.lua takes it into account when the wallet comes.
--
-- Works on {s}:orphans:<account>, {s}:wallet:<account> and {s}:spend:<key id>.
-- requires: wallet, charge, spending
-- arguments:
--   orphans      a list of {account, key, request, rank, difference}: by how much its booking has changed what the account
--                was charged; 0 where the ledger had it already, negative where an estimate was too high
-- Returns OK.

for _, decided in ipairs(order.orphans) do
  local field = decided.request .. ':' .. decided.rank
  local wallet = read_wallet(decided.account)
  local orphan = wallet and redis.call('HGET', orphans_key_of(decided.account), field)
  if orphan then
    redis.call('HDEL', orphans_key_of(decided.account), field)
    local difference = tonumber(decided.difference) - tonumber(string.match(orphan, '^%d+:(%-?%d+)'))
    if difference ~= 0 then
      write_spent(wallet, difference)
      charge_key(decided.key, difference)
    end
  end
end
return {status = 'OK'}
