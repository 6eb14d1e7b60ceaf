-- requires: numbers, wallet, usage, assignment
-- Writes a charge to the wallet and to the usage stream, in one step.
--
-- Orphans are charges that the ledger may already have booked when they are made here, because a Redis has lost writes:
-- there is no wallet, or it was set to the ledger's sums, which may include them. The wallet is charged anyway, and
-- corrected by absorb.lua once the ledger has decided. Each is a field `request:rank` of {s}:orphans:<account> with the
-- value `cost:contained`, where `contained` is what was taken from the wallet.
local function orphans_key_of(account)
  return tag .. ':orphans:' .. account
end

-- Appends the request's total cost and returns the entry's id. `seq` and `spent` are the wallet's after this charge; an
-- orphan has none.
local function append_charge(wallet, charge)
  charge.kind = 'charge'
  charge.assignment = assignment_id(charge.assignment)
  charge.cost, charge.uncharged = text(charge.cost), text(charge.uncharged)
  charge.seq, charge.spent = wallet and text(wallet.seq) or '', wallet and wallet.spent or ''
  return append_usage(charge)
end

local function append_orphan(charge, contained)
  redis.call('HSET', orphans_key_of(charge.account), charge.request .. ':' .. charge.rank,
    text(charge.cost) .. ':' .. text(contained))
  return append_charge(nil, charge)
end

-- Charges the difference to the wallet, if there is one, and appends the charge; returns the id of its entry. The last
-- arguments are fields and values to write with the wallet.
local function post_charge(wallet, charge, difference, is_orphan, ...)
  if is_orphan then
    if wallet then write_spent(wallet, difference, ...) end
    return append_orphan(charge, wallet and difference or 0)
  end
  write_charged(wallet, difference, ...)
  return append_charge(wallet, charge)
end
