#!lua flags=allow-oom
-- Ends a request that cost nothing: returns the hold. Writes the void outcome even where there is no hold, because a
-- reserve whose reply was lost may still arrive after it.
--
-- Works on {s}:hold:<request>, {s}:holds, {s}:done:<request>, {s}:wallet:<account> and those of limits.lua.
-- ARGV: 1 request id
-- Returns one of
--   OK
--   DUPLICATE outcome     settled or released before: nothing was done

local request = ARGV[1]

local outcome = read_outcome(request)
if outcome then return {'DUPLICATE', outcome} end

local hold = read_hold(request)
if hold and hold.counted_at then correct_tokens(hold, 0) end
return_hold(request)
write_outcome(request, 'void')
return {'OK'}
