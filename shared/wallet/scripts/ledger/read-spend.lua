#!lua flags=no-writes
-- Reads the record of what was spent within a scope (spend-records.lua), exactly as it is.
--
-- Works on {s}:meta and the record of the scope.
-- requires: numbers, spend-records, epoch
-- arguments:
--   account
--   scope
-- Returns OK shardEpoch, and the values of the record that it has, by their names in `spend_fields`.

local account, scope = arguments.account, arguments.scope
load_records(account, {scope})
local reply = {status = 'OK', shardEpoch = read_epoch()}
for place, name in ipairs({unpack(spend_fields)}) do
  local value = spend_records[scope][place]
  if value then reply[name] = type(value) == 'number' and text(value) or value end
end
return reply
