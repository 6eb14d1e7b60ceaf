#!lua flags=allow-oom
-- Adds what the ledger knows to the record of what was spent within a scope (spending.lua): every charge before the entry that
-- asked for it. Later ones are in the record already. Of the requests running at that time, those count as held that were
-- judged by a budget of the scope.
--
-- Works on {s}:meta, the record of the scope and {s}:wallet:<account>.
-- requires: spending, epoch
-- arguments:
--   account
--   scope
--   asked          the id of the entry; empty if an older version has asked, for a key: it has begun no record
--   zone           offsets of the organization's time zone, in which the windows are
--   windows        the number of the window of each period that has one, when the ledger was asked, by the period's name
--   spent          what was spent in each, or in all time, by the period's name; negative where a correction took back more
-- Returns OK, or STALE if the record is not the one that was asked for.

local account, scope, epoch = arguments.account, arguments.scope, read_epoch()
load_records(account, {scope})
local record = spend_records[scope]
if arguments.asked == '' then
  if record[epoch_at] == epoch then return {status = 'STALE'} end
  record = {}
elseif record[epoch_at] ~= '?' .. epoch or record[asked_at] ~= arguments.asked
  or not is_same_zone(record[zone_at] or '', arguments.zone) then
  return {status = 'STALE'}
end

local loaded = {epoch, record[held_at] or 0, record[zone_at] or arguments.zone, arguments.asked}
for _, limit in ipairs(spend_limits) do
  local counted, spent = record[limit.counted_at] or 0, string.match(arguments.spent[limit.name], '^%-?%d+$')
  local present, asked_in = record[limit.window_at], limit.window and tonumber(arguments.windows[limit.name])
  if limit.window and present ~= asked_in then
    if present and present > asked_in then
      -- The window has ended since.
      spent = '0'
    else
      present, counted = asked_in, 0
    end
  end
  if limit.window then loaded[limit.window_at] = present end
  loaded[limit.counted_at] = add_to(spent, counted + 0)
end
replace_record(account, scope, loaded)
mark_counted(tag .. ':wallet:' .. account, {scope})
return {status = 'OK'}
