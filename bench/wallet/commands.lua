#!lua
-- The Redis commands of a reserve and a settle without their computation: the same commands with values of the same
-- size, for one account after another. Returns the elapsed microseconds.
-- ARGV: 1 number of pairs  2 index of the first one  3 number of accounts
local pairs_wanted, first, account_count = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local call = redis.call
local window, detail = string.rep('w', 40), string.rep('d', 70)
local hold = 'account key 200000 0 256 0 300 1795297293439 - ' .. detail
local entry = detail .. detail .. detail .. detail
local started = call('TIME')
for pair = first, first + pairs_wanted - 1 do
  local tag = '{bench}:'
  local account = tostring(pair * 37 % account_count)
  local wallet, request = tag .. 'funds:' .. account, tag .. 'request:' .. tostring(pair)
  -- reserve
  call('HMGET', tag .. 'meta', 'mode', 'epoch', 'identity')
  call('HMGET', tag .. 'caller:' .. account, 'account', 'id', 'active', 'expiresAt', 'models', 'limits')
  call('GET', request)
  call('HMGET', wallet, 'available', 'held', 'version', 'spent', 'seq', 'window', 'window:1', 'streams', 'streams:1')
  call('HSET', wallet, 'available', '99999999800000', 'held', '200000', 'version', '1', 'window', window, 'window:1', window)
  call('SET', request, hold)
  call('ZADD', tag .. 'open', '1795297293439', request)
  -- settle
  call('GET', request)
  call('HMGET', wallet, 'available', 'held', 'version', 'spent', 'seq', 'window', 'window:1', 'streams', 'streams:1')
  call('ZREM', tag .. 'open', request)
  call('HSET', wallet, 'available', '99999999981460', 'held', '0', 'version', '2', 'spent', '18540', 'seq', '1',
    'window', window, 'window:1', window)
  call('SET', request, '2:18540', 'EX', '86400')
  call('HGET', tag .. 'meta', 'epoch')
  call('XADD', tag .. 'log', 'MAXLEN', '~', '100000', '*', 'entry', entry)
end
local ended = call('TIME')
return (ended[1] - started[1]) * 1000000 + ended[2] - started[2]
