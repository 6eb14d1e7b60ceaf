#!lua flags=allow-oom
-- Brings back the outcomes of requests that the ledger has booked and this Redis may have forgotten, so that their
-- replays are duplicates. A hold that such a request still has here is returned. A higher rank is never replaced; of the
-- same rank the ledger's cost counts, because the ledger keeps the first one that it has booked.
--
-- Works on {s}:request:<request>, {s}:holds, {s}:wallet:<account> and {s}:spend:<key id>.
-- requires: hold, rate-end
-- arguments:
--   booked      a list of {request, outcome}, the outcome as `rank:cost`
-- Returns OK restored, the number of outcomes that were brought back.

local restored = 0
for _, booked in ipairs(order.booked) do
  local request, outcome = booked.request, booked.outcome
  local hold, present = read_request(request)
  if not present or (present ~= 'void' and string.sub(present, 1, 1) <= string.sub(outcome, 1, 1)) then
    local wallet = hold and read_wallet(hold.account, hold.key, hold.atOnce)
    end_hold(request, hold, wallet)
    if wallet then write_wallet(wallet, without_request(wallet, hold, hold.tokens)) end
    write_outcome(request, outcome)
    restored = restored + 1
  end
end
return {status = 'OK', restored = text(restored)}
