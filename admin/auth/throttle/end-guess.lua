-- The guess was right, or could not be checked: it does not count.
--
-- KEYS: as begin-guess.lua
-- ARGV: 1 milliseconds for which this address is remembered as one that logged in to the account; empty if it did not
-- Returns nothing.

local function take_back(key)
  if redis.call('EXISTS', key) == 1 and redis.call('DECR', key) <= 0 then redis.call('DEL', key) end
end

if redis.call('EXISTS', KEYS[4]) == 0 then take_back(KEYS[3]) end
take_back(KEYS[2])
if ARGV[1] ~= '' then
  redis.call('DEL', KEYS[1])
  redis.call('SET', KEYS[4], '1', 'PX', ARGV[1])
elseif redis.call('HINCRBY', KEYS[1], 'guesses', -1) <= 0 then
  redis.call('DEL', KEYS[1])
else
  redis.call('HDEL', KEYS[1], 'until')
end
