#!lua
-- Asks the ledger for what a peek or a key's status has missed, as a reserve does itself.
--
-- Works on {s}:asked:<account>:<key>:<shown key> and {s}:usage.
-- requires: usage
-- arguments:
--   account
--   key        id of a key whose spending is to be counted here, or empty
--   shown      id of a key whose spending is to be shown, or empty
-- Returns OK, also where the ledger has been asked within the last second.

ask_ledger(order)
return {status = 'OK'}
