#!lua flags=allow-oom
-- Ends a request that cost nothing: returns the hold. Writes the void outcome even where there is no hold, because a
-- reserve whose reply was lost may still arrive after it.
--
-- Works on {s}:request:<request>, {s}:holds, {s}:once:<use>, {s}:wallet:<account> and {s}:spend:<key id>.
-- ARGV: 1 request id  2 what names the Idempotency-Key, empty where there is none
-- Returns one of
--   OK
--   DUPLICATE outcome     settled or released before: nothing was done

local request, once = ARGV[1], ARGV[2]

local hold, outcome = read_request(request)
if outcome then return {'DUPLICATE', outcome} end

local wallet = hold and read_wallet(hold.account, hold.key, hold.at_once)
end_hold(request, hold, wallet)
if wallet then write_wallet(wallet, without_request(wallet, hold, 0)) end
if once ~= '' then drop_once(once, request) end
write_outcome(request, 'void')
return {'OK'}
