#!lua flags=allow-oom
-- Caps the progress of holds at the amount they hold: no more than that was ever delivered.
--
-- Works on {s}:request:<request>.
-- requires: hold
-- arguments:
--   requests      a list of ids
-- Returns OK.

for _, request in ipairs(arguments.requests) do
  local hold = read_request(request)
  if hold and hold.progress > hold.amount then
    hold.progress = hold.amount
    write_hold(request, hold)
  end
end
return {status = 'OK'}
