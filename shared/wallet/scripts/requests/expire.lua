#!lua flags=allow-oom
-- Ends requests that their proxy did not renew in time: each is charged its last renewed progress as an estimate
-- (rank 1), which a late settle replaces. The deadline is checked here, against Redis's own clock. Money that was set
-- aside for a withdrawal is returned; nothing is charged for it.
--
-- Does nothing if the shard was opened in a different Redis or the epoch is not the caller's: a failover may have lost
-- renewals, and the proxies need time to send them again.
--
-- Works on {s}:meta, {s}:holds and, for each hold, {s}:request:<request>, {s}:wallet:<account>,
-- {s}:orphans:<account>, {s}:spend:<key id>, {s}:counted:<account> and {s}:usage.
-- requires: hold, charge, rate-end, epoch, lease
-- arguments:
--   limit      the maximum number of requests
--   epoch      the shard's
-- Returns one of
--   OK due         how many requests were due
--   RECOVERING     nothing may be expired now

local due = redis.call('ZRANGEBYSCORE', holds_key, '-inf', text(now_ms()), 'LIMIT', 0, amount(arguments.limit))
if #due == 0 then return {status = 'OK', due = '0'} end

local meta, epoch = redis.call('HMGET', meta_key, 'mode', 'epoch', 'identity'), arguments.epoch
if meta[1] ~= 'open' or meta[2] ~= epoch or meta[3] ~= run_id() then return {status = 'RECOVERING'} end

for _, request in ipairs(due) do
  local hold = read_request(request)
  local wallet = hold and read_wallet(hold.account, hold.key, hold.atOnce)
  if hold and hold.lease then
    -- It returns whole: what its requests have cost was drawn from it.
    expire_lease(request, hold, wallet)
  else
    end_hold(request, hold, wallet)
    if hold and hold.withdrawal then
      redis.call('DEL', tag .. ':request:' .. request)
      if wallet then write_wallet(wallet) end
    elseif hold then
      local charged = hold.progress
      if wallet then charged = math.min(charged, math.max(wallet.available, 0)) end
      write_outcome(request, '1:' .. text(charged))
      post_charge(wallet, {
        account = hold.account, key = hold.key, request = request, rank = '1', epoch = epoch,
        cost = charged, uncharged = hold.progress - charged, detail = hold.detail,
        assignment = hold.assignment,
      }, charged, not wallet or was_lost(hold), hold, without_request(wallet, hold, hold.tokens))
    end
  end
end
return {status = 'OK', due = text(#due)}
