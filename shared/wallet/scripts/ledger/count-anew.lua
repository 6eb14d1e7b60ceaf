#!lua flags=allow-oom
-- Discards what was counted within a scope, but not what is held: its record is of no zone from now on, so the next request under
-- its budgets asks the ledger.
--
-- Works on the record of the scope (spend-records.lua).
-- requires: spend-records
-- arguments:
--   account
--   scope
-- Returns OK, also if there is no record.

local account, scope = arguments.account, arguments.scope
load_records(account, {scope})
if spend_records[scope][epoch_at] then
  spend_records[scope][zone_at], spend_changes[scope] = 'unknown', changed_all
  write_records(account)
end
return {status = 'OK'}
