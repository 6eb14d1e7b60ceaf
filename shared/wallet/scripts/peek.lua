#!lua flags=no-writes
-- What a reserve would answer now, by the same functions; Redis itself forbids this script to change anything.
--
-- KEYS: 1 {s}:meta  2 {s}:key:<hash>  and, named by the key's account, {s}:wallet:<account>
-- ARGV: 1 model  2 amount to hold at the full output cap  3 the part of it that is the prompt
--       4 pico-USD for one more output token, all choices together  5 output cap  6 lowest cap that may be granted
--       instead, 0 if it may not be lowered  7 identity of the Redis that the caller is connected to
-- Returns one of
--   OK available held cap amount     a reserve would hold this amount and grant this cap
--   SHORT available held             not enough
--   RECOVERING | KEY_UNKNOWN | KEY_INACTIVE | KEY_EXPIRED | MODEL_NOT_ALLOWED
--   MISS account                     no wallet in this Redis; ask-for-wallet.lua asks the ledger for it

local model = ARGV[1]
local order = {
  amount = amount(ARGV[2]), prompt_part = amount(ARGV[3]), output_price = amount(ARGV[4]),
  cap = amount(ARGV[5]), lowest_cap = amount(ARGV[6]),
}

local refusal, key = judge_key(KEYS[1], KEYS[2], model, ARGV[7])
if refusal then return {refusal} end
local wallet = read_wallet(key.account)
if not wallet then return {'MISS', key.account} end

local cap, wanted = grant(wallet.available, order)
local available, held = text(wallet.available), text(wallet.held)
if not cap then return {'SHORT', available, held} end
return {'OK', available, held, text(cap), text(wanted)}
