#!lua
-- Asks the ledger for what a peek has missed, as a reserve does itself.
--
-- Works on {s}:asked:<account>:<key> and {s}:usage.
-- ARGV: 1 account  2 key id, empty where only the wallet is missing
-- Returns OK, also where the ledger has been asked within the last second.

ask_ledger(ARGV[1], ARGV[2])
return {'OK'}
