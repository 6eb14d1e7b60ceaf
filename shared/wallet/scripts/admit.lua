#!lua flags=no-writes
-- Whether a key is known and may be used now, before anything but the header of its request is read.
--
-- Works on {s}:meta and {s}:key:<hash>.
-- ARGV: 1 hash of the API key  2 identity of the Redis that the caller is connected to
-- Returns OK, or RECOVERING | KEY_UNKNOWN | KEY_INACTIVE | KEY_EXPIRED | EMAIL_UNPROVEN

return {(judge_key(ARGV[1], ARGV[2])) or 'OK'}
