-- Counts a password that is about to be checked, as wrong until end-guess.lua says otherwise. Only two are refused: an
-- address that has guessed wrong at this account before, and an address that guesses at many accounts and has never
-- logged in to this one. So no one can lock out a user who has logged in from their own address.
--
-- KEYS: 1 wrong guesses at this account from this address, and the end of the pause after them  2 wrong guesses at this
--       account from anywhere  3 wrong guesses from this address, at accounts that were never logged in to from there
--       4 exists if someone has logged in to this account from this address
-- ARGV: 1 milliseconds for which the first counter is kept after a guess with a pause  2 window of the others
--       3 guesses without a pause  4 guesses at an account from anywhere, above which strangers get no guess without a
--       pause  5 guesses allowed to an address  6 the longest pause
-- Returns 0, or milliseconds to wait.

local kept_ms, window_ms, free, hot, address_max, pause_max =
  tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])

local function count_of(key)
  return tonumber(redis.call('GET', key) or '0')
end

local function count(key)
  if redis.call('INCR', key) == 1 then redis.call('PEXPIRE', key, window_ms) end
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local pair = redis.call('HMGET', KEYS[1], 'guesses', 'until')
local pause = tonumber(pair[2] or '0') - now
if pause > 0 then return math.min(pause, pause_max) end

local is_stranger = redis.call('EXISTS', KEYS[4]) == 0
if is_stranger and count_of(KEYS[3]) >= address_max then return math.max(redis.call('PTTL', KEYS[3]), 1) end

local guesses = tonumber(pair[1] or '0') + 1
if is_stranger and count_of(KEYS[2]) >= hot then free = 0 end
redis.call('HSET', KEYS[1], 'guesses', guesses)
redis.call('PEXPIRE', KEYS[1], guesses > free and kept_ms or window_ms)
if guesses > free then
  redis.call('HSET', KEYS[1], 'until', string.format('%d', now + math.min(1000 * 2 ^ (guesses - free - 1), pause_max)))
end
count(KEYS[2])
if is_stranger then count(KEYS[3]) end
return 0
