#!lua flags=no-writes
-- Checks whether a key is known and may be used now, before anything but the request's headers is read.
--
-- Works on {s}:meta and {s}:key:<hash>.
-- requires: key
-- arguments:
--   keyHash       hash of the API key
--   identity      the run id of the Redis that the caller is connected to
-- Returns OK first (the hash that the key was created with, empty if it is this one), or
-- RECOVERING | KEY_UNKNOWN | KEY_INACTIVE | KEY_EXPIRED | EMAIL_UNPROVEN | PROJECT_ARCHIVED

local refusal, key = check_key(arguments.keyHash, arguments.identity)
return refusal or {status = 'OK', first = key.first}
