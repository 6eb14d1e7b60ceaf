#!lua flags=allow-oom
-- Lowers the progress of holds to what they hold: more was never delivered.
--
-- Works on {s}:request:<request>.
-- ARGV: requests
-- Returns OK.

for _, request in ipairs(ARGV) do
  local hold = read_request(request)
  if hold and hold.progress > hold.amount then
    hold.progress = hold.amount
    write_hold(hold)
  end
end
return {'OK'}
