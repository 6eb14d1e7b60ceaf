#!lua flags=allow-oom
-- Ends requests whose proxy has not renewed them in time: each is charged its last renewed progress as an estimate
-- (rank 1), which a late settle replaces. The deadline is checked here, by Redis's own clock.
--
-- Works on {s}:meta, {s}:holds and, named by the holds, {s}:request:<request>, {s}:wallet:<account>,
-- {s}:orphans:<account>, {s}:spend:<key id> and {s}:usage.
-- ARGV: 1 how many at most
-- Returns the number of requests that were due.

local due = redis.call('ZRANGEBYSCORE', holds_key, '-inf', text(now_ms()), 'LIMIT', 0, amount(ARGV[1]))

for _, request in ipairs(due) do
  local hold = read_request(request)
  local wallet = hold and read_wallet(hold.account, hold.key, hold.stream)
  end_hold(request, hold, wallet)
  if hold then
    local charged = hold.progress
    if wallet then
      charged = math.min(hold.progress, math.max(wallet.available, 0))
      wallet.available = wallet.available - charged
      write_charged(wallet, charged, without_request(wallet, hold, hold.tokens))
    else
      redis.call('HSET', tag .. ':orphans:' .. hold.account, request, text(charged))
    end
    if hold.capped then charge_key(hold.key, charged) end
    write_outcome(request, '1:' .. text(charged))
    append_charge(wallet, {
      account = hold.account, key = hold.key, request = request, rank = '1',
      cost = charged, uncharged = hold.progress - charged, detail = hold.detail,
    })
  end
end
return {text(#due)}
