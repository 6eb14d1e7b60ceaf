#!lua flags=allow-oom
-- Ends a request that cost nothing: returns the hold. Writes the void outcome even if there is no hold, because a
-- reserve whose reply was lost may still arrive later.
--
-- Works on {s}:request:<request>, {s}:holds, {s}:once:<digest>, {s}:wallet:<account>,
-- {s}:spend:<key id> and {s}:counted:<account>.
-- requires: hold, rate-end, idempotency
-- arguments:
--   request
--   idempotencyKeyDigest      empty if there is no Idempotency-Key
-- Returns one of
--   OK
--   DUPLICATE outcome     already settled or released: nothing was done

local request = arguments.request

local hold, outcome = read_request(request)
if outcome then return {status = 'DUPLICATE', outcome = outcome} end

local wallet = hold and read_wallet(hold.account, hold.key, hold.atOnce)
end_hold(request, hold, wallet)
if hold then hold_in_scopes(hold, -hold.amount) end
if wallet then write_wallet(wallet, without_request(wallet, hold, 0)) end
if arguments.idempotencyKeyDigest ~= '' then drop_once(arguments.idempotencyKeyDigest, request) end
write_outcome(request, 'void')
return {status = 'OK'}
