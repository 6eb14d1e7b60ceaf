#!lua flags=allow-oom
-- Corrects wallets, once for each of their orphans that the ledger has decided about. An orphan without a wallet stays:
-- hydrate.lua takes it into account when it creates the wallet.
--
-- Works on {s}:orphans:<account>, {s}:wallet:<account>, {s}:spend:<key id> and {s}:counted:<account>.
-- requires: wallet, charge
-- arguments:
--   orphans      a list of {account, key, request, rank, difference}; `difference` is how much the booking changed what
--                the account was charged: 0 if the ledger already had it, negative if an estimate was too high
-- Returns OK.

for _, decided in ipairs(arguments.orphans) do
  local field = decided.request .. ':' .. decided.rank
  local wallet = read_wallet(decided.account)
  local orphan = redis.call('HGET', orphans_key_of(decided.account), field)
  if orphan then correct_counted(decided.account, orphan, tonumber(decided.difference)) end
  if orphan and not wallet then
    redis.call('HSET', orphans_key_of(decided.account), field, string.match(orphan, '^%d+:%-?%d+'))
  elseif orphan then
    redis.call('HDEL', orphans_key_of(decided.account), field)
    local difference = tonumber(decided.difference) - tonumber(string.match(orphan, '^%d+:(%-?%d+)'))
    if difference ~= 0 then write_spent(wallet, difference) end
  end
end
return {status = 'OK'}
