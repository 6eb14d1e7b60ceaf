-- requires: numbers, clock, usage, assignment
-- What was spent within a scope, which is a key, or the member, project or organization that it belongs to, in
-- {s}:spend:<scope>. There is a record if a budget of the scope has been asked about. From then on every charge adds to it:
--
--   epoch    the shard's in which the record was made; after a `?` while the ledger has yet to tell what was spent before
--   asked    the entry of the usage stream that has asked the ledger: what was charged before it is the ledger's to tell
--   held     what running requests and leases may spend; of those that were judged by a budget of the scope
--   zone     offsets of the organization's time zone (zone-offsets.ts), in which windows begin; any other text has the ledger
--            asked again (wallet-auditor.ts)
--
-- and for each period what was spent in one of its windows and the number of that window, such as `daySpent` and `day`.
-- `total` has no windows. A record of an older version is of a key, and has no zone: it is UTC.

local day_ms = 86400000
local quarter_hour_ms = 900000
-- A question to the ledger is repeated only after so long: its answer counts for the last one.
local ask_again_ms = 10000

-- From days since 1970-01-01: civil_from_days of Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
local function month_of(day)
  local shifted = day + 719468
  local era = math.floor(shifted / 146097)
  local day_of_era = shifted - era * 146097
  local year_of_era = math.floor((day_of_era - math.floor(day_of_era / 1460) + math.floor(day_of_era / 36524)
    - math.floor(day_of_era / 146096)) / 365)
  local day_of_year = day_of_era - (365 * year_of_era + math.floor(year_of_era / 4) - math.floor(year_of_era / 100))
  local month_from_march = math.floor((5 * day_of_year + 2) / 153)
  local month = month_from_march < 10 and month_from_march + 3 or month_from_march - 9
  local year = year_of_era + era * 400 + (month <= 2 and 1 or 0)
  return year * 100 + month
end

local function spend_key(scope)
  return tag .. ':spend:' .. scope
end

-- The time in a zone, in ms since 1970 as if it were UTC.
local function local_ms(zone)
  if zone == '' then return now_ms() end
  for ahead, until_quarter in string.gmatch(zone, '(%-?%d+) ?(%d*)') do
    if until_quarter == '' or now_ms() < tonumber(until_quarter) * quarter_hour_ms then
      return now_ms() + tonumber(ahead) * quarter_hour_ms
    end
  end
  return now_ms()
end

local windows = {}

-- The numbers of the present windows in a zone, by the kind of period. One run is one moment.
local function windows_in(zone)
  local numbers = windows[zone]
  if not numbers then
    local day = math.floor(local_ms(zone) / day_ms)
    -- 1970-01-01 was a Thursday.
    numbers = {day = day, week = math.floor((day + 3) / 7), month = month_of(day)}
    windows[zone] = numbers
  end
  return numbers
end

-- The scopes of a charge: by level, the name of its record. `levels` are the prefixes of those that are counted, in which `k` is
-- that of keys; nil for all.
local function scopes_of(account, key_id, assignment, levels)
  if levels == 'k' then return {key = key_id} end
  local project, user = assigned_to(assignment)
  local scopes = {
    key = key_id, member = user and 'm' .. account .. ':' .. user, project = project and 'p' .. project,
    organization = 'o' .. account,
  }
  for level, prefix in pairs({key = 'k', member = 'm', project = 'p', organization = 'o'}) do
    if levels and not string.find(levels, prefix, 1, true) then scopes[level] = nil end
  end
  return scopes
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

-- The record of a scope: `scope`, `held`, and `spent`, in which each period has what was spent in its current window, at its
-- place in `spend_fields`. Nil if it must be loaded from the ledger first, also where it is of another zone; without `zone`, the
-- record's own holds. A record of a version that did not have one of the periods has nothing for it.
local function read_spend(scope, epoch, zone)
  local spent = redis.call('HMGET', spend_key(scope), unpack(spend_fields))
  local own_zone = spent[3] or ''
  if spent[1] ~= epoch or own_zone ~= (zone or own_zone) then return nil end
  local present = windows_in(own_zone)
  for _, limit in ipairs(spend_limits) do
    local window = present[limit.window]
    local is_current = not window or tonumber(spent[limit.window_at]) == window
    spent[limit.counted_at] = is_current and tonumber(spent[limit.counted_at]) or 0
  end
  return {scope = scope, held = tonumber(spent[2]), spent = spent}
end

-- The records that the budgets of a key are about, by level; and a list of the scopes whose records must be loaded first, nil
-- if none must.
local function read_spends(key, budgets)
  local scopes, spends, missing = scopes_of(key.account, key.id, key.assignment), {}, nil
  for _, budget in ipairs(budgets) do
    local level = budget.level
    local scope = scopes[level]
    if scope and spends[level] == nil then
      spends[level] = read_spend(scope, key.epoch, key.zone) or false
      if not spends[level] then
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
    local spend = spends[budget.level]
    local left = spend and math.max(0, budget.most - spend.spent[budget.counted_at] - spend.held)
    if left and left < available then available, tightest = left, budget end
  end
  return available, tightest
end

-- The refusal for a budget.
local function budget_short(budget, left, zone)
  return {
    status = 'BUDGET_SHORT', left = text(left), period = budget.period, level = budget.level, most = text(budget.most),
    zone = zone,
  }
end

-- Begins to count what is spent within a scope. What running requests hold of it stays held.
local function start_counting(scope, key, asked)
  local name = spend_key(scope)
  local state = redis.call('HMGET', name, 'epoch', 'held')
  local held = (state[1] == key.epoch or state[1] == '?' .. key.epoch) and state[2] or '0'
  local fields = {'epoch', '?' .. key.epoch, 'held', held, 'zone', key.zone, 'asked', asked}
  local present = windows_in(key.zone)
  for _, limit in ipairs(spend_limits) do
    local window = present[limit.window]
    if window then fields[#fields + 1], fields[#fields + 2] = limit.name, text(window) end
    fields[#fields + 1], fields[#fields + 2] = limit.counted, '0'
  end
  redis.call('DEL', name)
  redis.call('HSET', name, unpack(fields))
end

-- Asks the ledger for the records of these scopes of a key, through the stream, after every charge that was made before. Charges
-- from now on are counted here.
local function ask_spends(key, scopes)
  local wanted, key_id = {}, ''
  for _, scope in ipairs(scopes) do
    local state = redis.call('HMGET', spend_key(scope), 'epoch', 'zone', 'asked')
    local since = now_ms() - tonumber(string.match(state[3] or '', '^%d+') or '0')
    local is_asked = state[1] == '?' .. key.epoch and (state[2] or '') == key.zone and since >= 0 and since < ask_again_ms
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

-- Whether a hold is counted in the record of a scope.
local function is_held_in(hold, scope, epoch)
  if not hold or not hold.capped or epoch ~= hold.capped and epoch ~= '?' .. hold.capped then return false end
  for _, held_in in ipairs(hold.scopes or {hold.key}) do
    if held_in == scope then return true end
  end
  return false
end

-- Adds a charge to the current windows of the records of its scopes; a negative difference takes part of one back. With the
-- entry of the charge, only to records that were asked for before it. A hold that the charge ends is held no more.
local function count_spent(scopes, difference, entry, ended)
  for _, scope in pairs(scopes) do
    local name = spend_key(scope)
    local record = redis.call('HMGET', name, unpack(spend_fields))
    local fields = {}
    if is_held_in(ended, scope, record[1]) then fields = {'held', text(tonumber(record[2]) - ended.amount)} end
    local asked = record[4] or ''
    if record[1] and difference ~= 0 and not (entry and asked ~= '' and is_until(entry, asked)) then
      local present = windows_in(record[3] or '')
      for _, limit in ipairs(spend_limits) do
        local window = present[limit.window]
        if window and tonumber(record[limit.window_at]) ~= window then
          fields[#fields + 1], fields[#fields + 2] = limit.name, text(window)
          fields[#fields + 1], fields[#fields + 2] = limit.counted, text(difference)
        else
          local counted = record[limit.counted_at] or '0'
          if #counted < 16 then
            fields[#fields + 1], fields[#fields + 2] = limit.counted, text(tonumber(counted) + difference)
          else
            redis.call('HINCRBY', name, limit.counted, text(difference))
          end
        end
      end
    end
    if #fields > 0 then redis.call('HSET', name, unpack(fields)) end
  end
end

-- The levels at which charges of an account are counted: budgets of them have been asked about. Nil if there are none. A
-- hold says so too, of a version that did not mark the wallet.
local function counted_levels(wallet, hold)
  return wallet.counted or hold and hold.capped and 'k' or nil
end
