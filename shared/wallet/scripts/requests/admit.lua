#!lua flags=no-writes
-- Checks whether a key is known and may be used now, before anything but the request's headers is read.
--
-- Works on {s}:meta and {s}:key:<hash>.
-- requires: key
-- arguments:
--   keyHash       hash of the API key
--   identity      the run id of the Redis that the caller is connected to
-- Returns OK, or RECOVERING | KEY_UNKNOWN | KEY_INACTIVE | KEY_EXPIRED | EMAIL_UNPROVEN

return (judge_key(order.keyHash, order.identity)) or {status = 'OK'}
