#!lua flags=no-writes
-- Checks whether a key is known and may be used now, before anything but the request's headers is read.
--
-- Works on {s}:meta and {s}:key:<hash>.
-- requires: key
-- arguments:
--   keyHash       hash of the API key
--   identity      the run id of the Redis that the caller is connected to
-- Returns one of
--   OK account first rulesMark rules     the key's account, the hash that it was created with, empty if it is this one, and the
--                                        rules for its requests (key-rules.ts), both empty if there are none
--   RECOVERING | KEY_UNKNOWN | KEY_INACTIVE | KEY_EXPIRED | EMAIL_UNPROVEN | PROJECT_ARCHIVED

local refusal, key = check_key(arguments.keyHash, arguments.identity)
if refusal then return refusal end
local known = check_rules(arguments.keyHash, key, '') or {rulesMark = '', rules = ''}
return {status = 'OK', account = key.account, first = key.first, rulesMark = known.rulesMark, rules = known.rules}
