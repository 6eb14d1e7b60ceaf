-- requires: numbers, clock, usage, assignment, windows, spend-records
-- What was spent within a scope, which is a key, or the member, project or organization that it belongs to. There is a record of it
-- (spend-records.lua) if a budget of the scope has been asked about. From then on every charge adds to it.

-- A question to the ledger is repeated only after so long: its answer counts for the last one.
local ask_again_ms = 10000

-- The scopes of a charge, by level. `levels` are the prefixes of those that are counted, in which `k` is that of keys; nil for all.
-- The others are in one hash, so if one of them is counted, all of them are looked for.
local function scopes_of(account, key_id, assignment, levels)
  if levels == 'k' then return {key = key_id} end
  local project, user = assigned_to(assignment)
  return {
    key = (not levels or string.find(levels, 'k', 1, true)) and key_id or nil, member = user and 'm' .. account .. ':' .. user,
    project = project and 'p' .. project, organization = 'o' .. account,
  }
end

-- Notes in a wallet that charges are counted within these scopes, of which there are records from now on.
local function mark_counted(wallet_key, scopes)
  if redis.call('EXISTS', wallet_key) == 0 then return end
  local before = redis.call('HGET', wallet_key, 'counted') or ''
  local levels = before
  for _, scope in ipairs(scopes) do
    local prefix = string.match(scope, '^%a') or 'k'
    if not string.find(levels, prefix, 1, true) then levels = levels .. prefix end
  end
  if levels ~= before then redis.call('HSET', wallet_key, 'counted', levels) end
end

-- Whether the loaded record of a scope can be judged by. If not, the ledger must be asked for it first, also where it is of another
-- zone; without `zone`, the record's own holds.
local function is_counted(scope, epoch, zone)
  local record = spend_records[scope]
  return record[epoch_at] == epoch and (not zone or is_same_zone(zone, record[zone_at] or ''))
end

-- What was spent in the present window of a period. A record of a version that did not have the period has nothing for it.
local function spent_in(record, counted_at, window, window_at)
  if window and record[window_at] ~= windows_in(record[zone_at] or '')[window] then return 0 end
  return (record[counted_at] or 0) + 0
end

-- The scopes that the budgets of a key are about, by level, whose records are loaded: false if one must come from the ledger
-- first. Then there is also a list of all such scopes.
local function read_spends(key, budgets)
  local scopes, spends, missing = scopes_of(key.account, key.id, key.assignment), {}, nil
  -- Budgets are in the order of levels. Only a record of the key would take another command.
  if budgets[1].level ~= 'key' then scopes.key = nil end
  load_records(key.account, scopes)
  for _, budget in ipairs(budgets) do
    local scope = scopes[budget.level]
    if scope and spends[budget.level] == nil then
      spends[budget.level] = is_counted(scope, key.epoch, key.zone) and scope
      if not spends[budget.level] then
        missing = missing or {}
        missing[#missing + 1] = scope
      end
    end
  end
  return spends, missing
end

-- How much of `available` the budgets allow, and the tightest of them; nil if none is tighter.
local function spendable(available, spends, budgets)
  local tightest
  for _, budget in ipairs(budgets) do
    local record = spend_records[spends[budget.level]]
    local left = record and math.max(0, budget.most - record[held_at]
      - spent_in(record, budget.counted_at, budget.window, budget.window_at))
    if left and left < available then available, tightest = left, budget end
  end
  return available, tightest
end

-- How much of `balance` the budgets allow once nothing is held within their scopes.
local function spendable_at_rest(balance, spends, budgets)
  for _, budget in ipairs(budgets) do
    local record = spend_records[spends[budget.level]]
    if record then
      local left = budget.most - spent_in(record, budget.counted_at, budget.window, budget.window_at)
      balance = math.min(balance, math.max(0, left))
    end
  end
  return balance
end

-- The refusal for a budget. `left` is what is left of it, and `at_rest` what will be once no request holds anything.
local function budget_short(budget, left, at_rest, zone)
  return {
    status = 'BUDGET_SHORT', left = text(left), atRest = text(at_rest), period = budget.period, level = budget.level,
    most = text(budget.most), zone = zone,
  }
end

-- Begins to count what is spent within a scope. What running requests hold of it stays held.
local function start_counting(scope, key, asked)
  local former, present = spend_records[scope], windows_in(key.zone)
  local held = (former[epoch_at] == key.epoch or former[epoch_at] == '?' .. key.epoch) and former[held_at] or 0
  local record = {'?' .. key.epoch, held, key.zone, asked}
  for _, limit in ipairs(spend_limits) do
    local window = present[limit.window]
    if window then record[limit.window_at] = window end
    record[limit.counted_at] = 0
  end
  replace_record(key.account, scope, record)
end

-- Asks the ledger for the records of these scopes of a key, through the stream, after every charge that was made before. Charges
-- from now on are counted here.
local function ask_spends(key, scopes)
  local wanted, key_id = {}, ''
  load_records(key.account, scopes)
  for _, scope in ipairs(scopes) do
    local record = spend_records[scope]
    local since = now_ms() - tonumber(string.match(record[asked_at] or '', '^%d+') or '0')
    local is_asked = record[epoch_at] == '?' .. key.epoch and is_same_zone(record[zone_at] or '', key.zone)
      and since >= 0 and since < ask_again_ms
    if not is_asked then
      wanted[#wanted + 1] = scope
      -- Versions without other scopes answer for this one.
      if scope == key.id then key_id = scope end
    end
  end
  if #wanted == 0 then return end
  local asked = append_usage({
    kind = 'hydrate', account = key.account, key = key_id, shown = '', scopes = table.concat(wanted, ' '),
  })
  for _, scope in ipairs(wanted) do start_counting(scope, key, asked) end
  mark_counted(tag .. ':wallet:' .. key.account, wanted)
end

-- Whether an entry of the usage stream is before another one, or the same.
local function is_until(entry, other)
  local ms, number = string.match(entry, '^(%d+)%-(%d+)$')
  local other_ms, other_number = string.match(other, '^(%d+)%-(%d+)$')
  if ms ~= other_ms then return tonumber(ms) < tonumber(other_ms) end
  return tonumber(number) <= tonumber(other_number)
end

-- Changes how much is held within the scopes of a hold, unless a record is of another epoch than the hold. The caller must then
-- write the records.
local function change_held(account, hold, difference)
  if not hold.capped or difference == 0 then return end
  local scopes = hold.scopes or {hold.key}
  load_records(account, scopes)
  for _, scope in ipairs(scopes) do
    local epoch = spend_records[scope][epoch_at]
    if epoch == hold.capped or epoch == '?' .. hold.capped then add_held(scope, difference) end
  end
end

-- Adds a charge to the current windows of the records of its scopes; a negative difference takes part of one back. With the
-- entry of the charge, only to records that were asked for before it. A hold that the charge ends is held no more.
local function count_spent(account, scopes, difference, entry, ended)
  load_records(account, scopes)
  if ended then change_held(account, ended, -ended.amount) end
  for _, scope in pairs(scopes) do
    local record = spend_records[scope]
    local asked = record[asked_at] or ''
    if record[epoch_at] and difference ~= 0 and not (entry and asked ~= '' and is_until(entry, asked)) then
      local present, changed = windows_in(record[zone_at] or ''), changed_spent
      for _, limit in ipairs(spend_limits) do
        local window = present[limit.window]
        if window and record[limit.window_at] ~= window then
          record[limit.window_at], record[limit.counted_at], changed = window, difference, changed_all
        else
          record[limit.counted_at] = add_to(record[limit.counted_at] or 0, difference)
        end
      end
      spend_changes[scope] = changed
    end
  end
  write_records(account)
end

-- The levels at which charges of an account are counted: budgets of them have been asked about. Nil if there are none. A
-- hold says so too, of a version that did not mark the wallet.
local function counted_levels(wallet, hold)
  return wallet.counted or hold and hold.capped and 'k' or nil
end
