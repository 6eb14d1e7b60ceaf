#!lua flags=no-writes
-- Counts the leases of a key, or of all keys of an account, from which requests may still begin.
--
-- Works on {s}:leases:<account>.
-- requires: numbers, leases
-- arguments:
--   account
--   key          empty for all
-- Returns OK leases.

return {status = 'OK', leases = text(count_leases(arguments.account, arguments.key ~= '' and arguments.key or nil))}
