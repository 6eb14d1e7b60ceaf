#!lua
-- Asks the ledger for what a peek or a key status did not find, as a reserve does itself.
--
-- Works on {s}:asked:<account>:<key>:<shown key> and {s}:usage.
-- requires: usage
-- arguments:
--   account
--   key        id of a key whose spending is to be counted here, or empty
--   shown      id of a key whose spending is only to be shown, or empty
-- Returns OK, even if the ledger was already asked within the last second.

ask_ledger(arguments)
return {status = 'OK'}
