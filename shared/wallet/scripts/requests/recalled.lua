#!lua flags=no-writes
-- Counts the leases of an account that have been recalled and from which requests may still begin.
--
-- Works on {s}:leases:<account>.
-- requires: numbers, leases
-- arguments:
--   account
-- Returns OK leases.

return {status = 'OK', leases = text(count_leases(arguments.account, 'recalled'))}
