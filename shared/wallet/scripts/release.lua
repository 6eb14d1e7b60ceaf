#!lua flags=allow-oom
-- Ends a request that cost nothing: returns the hold. Writes the void outcome even where there is no hold, because a
-- reserve whose reply was lost may still arrive after it.
--
-- Works on {s}:request:<request>, {s}:holds, {s}:wallet:<account> and those of limits.lua.
-- ARGV: 1 request id
-- Returns one of
--   OK
--   DUPLICATE outcome     settled or released before: nothing was done

local request = ARGV[1]

local hold, outcome = read_request(request)
if outcome then return {'DUPLICATE', outcome} end

if hold and hold.counted_at then correct_tokens(hold, 0) end
return_hold(request, hold)
write_outcome(request, 'void')
return {'OK'}
