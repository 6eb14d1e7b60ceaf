-- requires: numbers, wallet, usage, assignment, spending
-- Writes a charge to the wallet and to the usage stream, in one step.
--
-- Orphans are charges that the ledger may already have booked when they are made here, because a Redis has lost writes:
-- there is no wallet, or it was set to the ledger's sums, which may include them. The wallet is charged anyway, and
-- corrected by absorb.lua once the ledger has decided. Each is a field `request:rank` of {s}:orphans:<account> with the
-- value `cost:contained:counted:entry:key:assignment`, where `contained` is what was taken from the wallet; `cost:contained` of
-- older versions, and once the ledger has decided while there is no wallet.
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

-- `counted` is what was added to the records of its scopes.
local function append_orphan(charge, contained, counted)
  local key_id, assignment = charge.key, charge.assignment or ''
  local id = append_charge(nil, charge)
  redis.call('HSET', orphans_key_of(charge.account), charge.request .. ':' .. charge.rank,
    table.concat({charge.cost, text(contained), text(counted), id, key_id, assignment}, ':'))
  return id
end

-- Corrects the records of an orphan's scopes once it is known how much the ledger books for it. Records that were asked for
-- after it have it from the ledger.
local function correct_counted(account, orphan, booked)
  local counted, id, key_id, assignment = string.match(orphan, '^%d+:%-?%d+:(%-?%d+):(%d+%-%d+):(%d+):(.*)$')
  if counted then count_spent(account, scopes_of(account, key_id, assignment), booked - tonumber(counted), id) end
end

-- Charges the difference to the wallet, if there is one, counts it for budgets, where the hold ends, and appends the charge;
-- returns the id of its entry. The last arguments are fields and values to write with the wallet.
local function post_charge(wallet, charge, difference, is_orphan, hold, ...)
  local account, levels = charge.account, wallet and counted_levels(wallet, hold)
  if is_orphan then
    if wallet then write_spent(wallet, difference, ...) end
    count_spent(account, scopes_of(account, charge.key, charge.assignment), difference, nil, hold)
    return append_orphan(charge, wallet and difference or 0, difference)
  end
  if levels then count_spent(account, scopes_of(account, charge.key, charge.assignment, levels), difference, nil, hold) end
  write_charged(wallet, difference, ...)
  return append_charge(wallet, charge)
end
