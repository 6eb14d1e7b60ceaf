-- requires: numbers, wallet, usage
-- How a charge is written: into the wallet and the usage stream, in one step.
--
-- Orphans are charges that the ledger may have booked before they were made here, because a Redis has lost writes since:
-- there is no wallet, or it was set to the ledger's sums, which may contain them. The wallet is charged all the same, and
-- corrected by absorb.lua once the ledger has decided. Each is a field `request:rank` of {s}:orphans:<account> with
-- `cost:contained`, where `contained` is what was taken from the wallet. Before 0.1.0 it was a field `request` with the
-- cost alone.
local function orphans_key_of(account)
  return tag .. ':orphans:' .. account
end

-- Appends what the request has cost in all, and returns the id of the entry. `seq` and `spent` are those of the wallet
-- after this charge was written. An orphan has none.
local function append_charge(wallet, charge)
  charge.kind = 'charge'
  charge.cost, charge.uncharged = text(charge.cost), text(charge.uncharged)
  charge.seq, charge.spent = wallet and text(wallet.seq) or '', wallet and wallet.spent or ''
  return append_usage(charge)
end

local function append_orphan(charge, contained)
  redis.call('HSET', orphans_key_of(charge.account), charge.request .. ':' .. charge.rank,
    text(charge.cost) .. ':' .. text(contained))
  return append_charge(nil, charge)
end

-- Charges the wallet a difference, if there is a wallet, and appends the charge; returns the id of its entry. What follows
-- are fields and values to write with the wallet.
local function post_charge(wallet, charge, difference, is_orphan, ...)
  if is_orphan then
    if wallet then write_spent(wallet, difference, ...) end
    return append_orphan(charge, wallet and difference or 0)
  end
  write_charged(wallet, difference, ...)
  return append_charge(wallet, charge)
end
