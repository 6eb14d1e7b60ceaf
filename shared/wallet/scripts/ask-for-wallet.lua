#!lua
-- Asks the ledger for a wallet that a peek has missed, as a reserve does itself.
--
-- KEYS: 1 {s}:meta  and {s}:asked:<account>, {s}:usage
-- ARGV: 1 account
-- Returns OK, also where the ledger has been asked within the last second.

ask_for_wallet(ARGV[1])
return {'OK'}
