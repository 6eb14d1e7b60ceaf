#!lua flags=allow-oom
-- Puts the present state of a proxy key into Redis, unless a newer state is there already.
--
-- KEYS: 1 {s}:key:<hash>
-- ARGV: 1 version  2 account, empty for a deleted key  3 key id  4 1 active, 0 deactivated
--       5 expiry in milliseconds of the epoch or empty  6 allowed models, each between line feeds, or empty for all
--       7 limits as limits.lua reads them, empty for the defaults
-- Returns OK or STALE.

local version = amount(ARGV[1])
local present = redis.call('HGET', KEYS[1], 'version')
if present and tonumber(present) > version then return {'STALE'} end

redis.call('DEL', KEYS[1])
if ARGV[2] == '' then
  -- The version stays behind for a day, so that an older state on its way cannot bring the key back.
  redis.call('HSET', KEYS[1], 'version', text(version))
  redis.call('EXPIRE', KEYS[1], outcome_seconds)
else
  redis.call('HSET', KEYS[1], 'version', text(version), 'account', ARGV[2], 'id', ARGV[3], 'active', ARGV[4],
    'expiresAt', ARGV[5], 'models', ARGV[6], 'limits', ARGV[7])
end
return {'OK'}
