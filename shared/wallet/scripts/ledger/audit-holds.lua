#!lua flags=no-writes
-- Reads a consistent snapshot of one shard's open holds.
--
-- Works on {s}:holds and {s}:request:<request>.
-- requires: numbers, hold
-- arguments:
-- Returns OK holds, a JSON list of {request, account, amount, progress}.

local holds = {}
for _, request in ipairs(redis.call('ZRANGE', holds_key, 0, -1)) do
  local hold = read_request(request)
  if hold then
    holds[#holds + 1] = {
      request = request, account = hold.account, amount = text(hold.amount), progress = text(hold.progress),
    }
  end
end
return {status = 'OK', holds = cjson.encode(holds)}
