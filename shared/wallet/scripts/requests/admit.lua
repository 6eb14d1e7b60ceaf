#!lua flags=no-writes
-- Checks whether a key is known and may be used now, before anything but the request's headers is read.
--
-- Works on {s}:meta and {s}:key:<hash>.
-- requires: key
-- arguments:
--   keyHash       hash of the API key
--   identity      the run id of the Redis that the caller is connected to
-- Returns one of
--   OK first addressesMark addresses     the hash that the key was created with, empty if it is this one, and the lists of
--                                        addresses from which it may be used (address-lists.ts), both empty for any
--   RECOVERING | KEY_UNKNOWN | KEY_INACTIVE | KEY_EXPIRED | EMAIL_UNPROVEN | PROJECT_ARCHIVED

local refusal, key = check_key(arguments.keyHash, arguments.identity)
if refusal then return refusal end
local lists = check_addresses(arguments.keyHash, key, '') or {addressesMark = '', addresses = ''}
return {status = 'OK', first = key.first, addressesMark = lists.addressesMark, addresses = lists.addresses}
