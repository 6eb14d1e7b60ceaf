#!lua flags=allow-oom
-- Adds what the ledger knows to the record of what was spent within a scope (spending.lua): every charge before the entry that
-- asked for it. Later ones are in the record already. Of the requests running at that time, those count as held that were
-- judged by a budget of the scope.
--
-- Works on {s}:meta, {s}:spend:<scope> and {s}:wallet:<account>.
-- requires: numbers, spending, epoch
-- arguments:
--   account
--   scope
--   asked          the id of the entry; empty if an older version has asked, for a key: it has begun no record
--   zone           offsets of the organization's time zone, in which the windows are
--   windows        the number of the window of each period that has one, when the ledger was asked, by the period's name
--   spent          what was spent in each, or in all time, by the period's name
-- Returns OK, or STALE if the record is not the one that was asked for.

local name, epoch = spend_key(arguments.scope), read_epoch()
local record = redis.call('HMGET', name, unpack(spend_fields))
if arguments.asked == '' then
  if record[1] == epoch then return {status = 'STALE'} end
  record = {}
elseif record[1] ~= '?' .. epoch or record[4] ~= arguments.asked or (record[3] or '') ~= arguments.zone then
  return {status = 'STALE'}
end

local fields = {'epoch', epoch, 'held', record[2] or '0', 'zone', arguments.zone, 'asked', arguments.asked}
local function set(field, value) fields[#fields + 1], fields[#fields + 2] = field, value end
for _, limit in ipairs(spend_limits) do
  local counted, spent = record[limit.counted_at] or '0', text(amount(arguments.spent[limit.name]))
  local present, asked_in = record[limit.window_at or 0], limit.window and arguments.windows[limit.name]
  if not limit.window or present == asked_in then
    set(limit.counted, counted)
    if limit.window then set(limit.name, present) end
  elseif present and tonumber(present) > tonumber(asked_in) then
    -- The window has ended since.
    set(limit.counted, counted)
    set(limit.name, present)
    spent = '0'
  else
    set(limit.counted, '0')
    set(limit.name, asked_in)
  end
  arguments.spent[limit.name] = spent
end
redis.call('DEL', name)
redis.call('HSET', name, unpack(fields))
for _, limit in ipairs(spend_limits) do
  redis.call('HINCRBY', name, limit.counted, arguments.spent[limit.name])
end
mark_counted(tag .. ':wallet:' .. arguments.account, {arguments.scope})
return {status = 'OK'}
