#!lua flags=allow-oom
-- Writes the current state of a proxy key to Redis, unless Redis already has a newer one, and recalls the leases of the key:
-- they are for its former state. The change is in force everywhere once no request may begin from them (leases.lua).
--
-- Works on {s}:key:<hash>, {s}:wallet:<account>, {s}:spend:<key id> and {s}:leases:<account>; publishes to `gateway:recall`.
-- requires: numbers, hold, leases
-- arguments:
--   hash          of the API key
--   version
--   account       empty for a deleted key
--   key           the key's id
--   active        1 active, 0 deactivated, `unproven` if the account's e-mail address is not verified, `archived` if its
--                 project is archived
--   expiresAt     in milliseconds since 1970, or empty
--   models        the allowed models, each between line feeds, or empty for all
--   limits        the key's own limits and budgets, named as in limits.lua and spend-limits.lua
--   first         the hash that the key was created with, if that was another one
--   assignment    what its charges are attributed to, as described in assignment.lua
--   zone          offsets of the organization's time zone (zone-offsets.ts)
--   dimensions    what else its charges are attributed to (dimension-names.ts), or empty
--   lifeMs        how long the record stays, for a hash under a former pepper; empty for the present hash
--   rulesMark     of the rules for its requests, or empty if there are none
--   rules             these rules (key-rules.ts); both fields are named after their first content
--   spanMs        how long after a draw requests may begin from a lease
-- Returns OK or STALE.

local key_key, version = tag .. ':key:' .. arguments.hash, amount(arguments.version)
local present = redis.call('HMGET', key_key, 'version', 'account')
if present[1] and tonumber(present[1]) > version then return {status = 'STALE'} end

local limits = {}
for name, value in pairs(arguments.limits) do limits[name] = amount(value) end

redis.call('DEL', key_key)
if arguments.account == '' then
  redis.call('DEL', tag .. ':spend:' .. arguments.key)
  if present[2] then
    redis.call('HDEL', tag .. ':wallet:' .. present[2], 'rate:' .. arguments.key, 'streams:' .. arguments.key,
      'window:' .. arguments.key)
  end
  -- The version is kept for a day, so that an older state that is still in flight cannot restore the key.
  redis.call('HSET', key_key, 'version', text(version))
  redis.call('EXPIRE', key_key, outcome_seconds)
else
  redis.call('HSET', key_key, 'version', text(version), 'account', arguments.account, 'id', arguments.key,
    'active', arguments.active, 'expiresAt', arguments.expiresAt, 'models', arguments.models,
    'limits', next(limits) and cmsgpack.pack(limits) or '', 'first', arguments.first,
    'assignment', arguments.assignment, 'zone', arguments.zone)
  if arguments.rulesMark ~= '' then
    redis.call('HSET', key_key, 'addressesMark', arguments.rulesMark, 'addresses', arguments.rules)
  end
  if arguments.dimensions ~= '' then redis.call('HSET', key_key, 'dimensions', arguments.dimensions) end
  if arguments.lifeMs ~= '' then redis.call('PEXPIRE', key_key, arguments.lifeMs) end
end
local account = present[2] or arguments.account
if account ~= '' then recall_leases(account, arguments.key, text(now_ms() + amount(arguments.spanMs))) end
return {status = 'OK'}
