#!lua flags=allow-oom
-- Recalls the leases of an account: a request would be refused, but they have a part of what it needs. Until they have been
-- returned, and for some time after, requests of the account are checked exactly.
--
-- Also removes what is left of leases that a version without leases has ended.
--
-- Works on {s}:leases:<account>, {s}:wallet:<account> and {s}:request:<lease>; publishes to `gateway:recall`.
-- requires: numbers, leases, hold
-- arguments:
--   account
--   exactMs      for how long no lease of the account grows
-- Returns OK leases, how many there are that requests may still begin from.

local wallet_key, leases_key = tag .. ':wallet:' .. arguments.account, leases_key_of(arguments.account)
local leases = redis.call('HGETALL', leases_key)
local sums = {['leased'] = {requests = 0, tokens = 0, streams = 0}}
for place = 1, #leases, 2 do
  local lease, field = leases[place], 'leased:' .. string.match(leases[place + 1], '^%d+')
  sums[field] = sums[field] or {requests = 0, tokens = 0, streams = 0}
  local hold = read_request(lease)
  if hold then
    for _, sum in pairs({sums.leased, sums[field]}) do
      for what, share in pairs(sum) do sum[what] = share + hold[what] end
    end
  else
    redis.call('HDEL', leases_key, lease)
  end
end
if redis.call('EXISTS', wallet_key) == 1 then
  redis.call('HSET', wallet_key, 'exactUntil', text(now_ms() + amount(arguments.exactMs)))
  for field, sum in pairs(sums) do
    redis.call('HSET', wallet_key, field, struct.pack('<ddd', sum.requests, sum.tokens, sum.streams))
  end
end
recall_leases(arguments.account, '')
return {status = 'OK', leases = text(count_leases(arguments.account))}
