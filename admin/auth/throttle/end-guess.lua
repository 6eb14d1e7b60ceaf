-- The guess was right, or could not be looked at: it does not count.
--
-- KEYS: as begin-guess.lua
-- ARGV: 1 milliseconds for which it is known that the account was entered from this address; empty where it was not
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
