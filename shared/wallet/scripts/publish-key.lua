#!lua flags=allow-oom
-- Puts the present state of a proxy key into Redis, unless a newer state is there already.
--
-- Works on {s}:key:<hash>, {s}:wallet:<account> and {s}:spend:<key id>.
-- ARGV: 1 hash of the API key  2 version  3 account, empty for a deleted key  4 key id  5 1 active, 0 deactivated,
--       `unproven` where the account's e-mail address is
--       6 expiry in milliseconds of the epoch or empty  7 allowed models, each between line feeds, or empty for all
--       8 limits as limits.lua reads them, empty for the defaults
-- Returns OK or STALE.

local key_key, version = tag .. ':key:' .. ARGV[1], amount(ARGV[2])
local present = redis.call('HMGET', key_key, 'version', 'account')
if present[1] and tonumber(present[1]) > version then return {'STALE'} end

-- What a key has spent counts only while it has a limit; when it is given one again, the ledger is asked.
local has_spend_limit = ARGV[3] ~= '' and ARGV[8] ~= '' and not string.find(ARGV[8], ';,,$')
if not has_spend_limit then redis.call('DEL', tag .. ':spend:' .. ARGV[4]) end
redis.call('DEL', key_key)
if ARGV[3] == '' then
  if present[2] then
    redis.call('HDEL', tag .. ':wallet:' .. present[2], 'window:' .. ARGV[4], 'streams:' .. ARGV[4])
  end
  -- The version stays behind for a day, so that an older state on its way cannot bring the key back.
  redis.call('HSET', key_key, 'version', text(version))
  redis.call('EXPIRE', key_key, outcome_seconds)
else
  redis.call('HSET', key_key, 'version', text(version), 'account', ARGV[3], 'id', ARGV[4], 'active', ARGV[5],
    'expiresAt', ARGV[6], 'models', ARGV[7], 'limits', ARGV[8])
end
return {'OK'}
