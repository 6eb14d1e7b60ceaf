#!lua flags=allow-oom
-- Restores the outcomes of requests that the ledger has booked and this Redis may have lost, so that their replays are
-- duplicates. If such a request still has a hold here, it is returned. A higher rank is never replaced; at the same
-- rank the ledger's cost wins, because the ledger keeps the first one that it booked.
--
-- Works on {s}:request:<request>, {s}:holds, {s}:wallet:<account>, {s}:spend:<key id> and
-- {s}:counted:<account>.
-- requires: hold, rate-end
-- arguments:
--   booked      a list of {request, outcome}, the outcome as `rank:cost`
-- Returns OK restored, the number of outcomes restored.

local restored = 0
for _, booked in ipairs(arguments.booked) do
  local request, outcome = booked.request, booked.outcome
  local hold, present = read_request(request)
  if not present or (present ~= 'void' and string.sub(present, 1, 1) <= string.sub(outcome, 1, 1)) then
    local wallet = hold and read_wallet(hold.account, hold.key, hold.atOnce)
    end_hold(request, hold, wallet)
    if hold then hold_in_scopes(hold, -hold.amount) end
    if wallet then write_wallet(wallet, without_request(wallet, hold, hold.tokens)) end
    write_outcome(request, outcome)
    restored = restored + 1
  end
end
return {status = 'OK', restored = text(restored)}
