-- requires: clock
-- Reads the record of a proxy key, a hash that publish-key.lua writes.

-- Fields of a hash, read once in a run. The scripts that require this part do not change what it reads.
local records = {}

local function read_record(name, ...)
  local record = records[name]
  if not record then
    record = redis.call('HMGET', name, ...)
    records[name] = record
  end
  return record
end

-- Checks whether a key may be used now: returns nil and {account, id, epoch, models, limits, first, expiresAt, assignment, zone,
-- dimensions, rulesMark}, or only the refusal. Its rules are judged by the caller (check_rules). If
-- the shard was opened in a different Redis from the one the caller is connected to, this one was restarted or took
-- over: it may have lost charges, and has not been compared with the ledger yet. While a shard is filling, a key that is not
-- there may still be published.
local function check_key(key_hash, identity)
  local meta = read_record(meta_key, 'mode', 'epoch', 'identity')
  local is_filling = meta[1] == 'filling'
  if not (meta[1] == 'open' or is_filling) or meta[3] ~= identity then return {status = 'RECOVERING'} end
  local key = read_record(tag .. ':key:' .. key_hash, 'account', 'id', 'active', 'expiresAt', 'models', 'limits',
    'first', 'assignment', 'zone', 'dimensions', 'addressesMark')
  if not key[1] then return {status = is_filling and 'RECOVERING' or 'KEY_UNKNOWN'} end
  if key[4] ~= '' and tonumber(key[4]) <= now_ms() then return {status = 'KEY_EXPIRED'} end
  if key[3] == 'unproven' then return {status = 'EMAIL_UNPROVEN'} end
  if key[3] == 'archived' then return {status = 'PROJECT_ARCHIVED'} end
  if key[3] ~= '1' then return {status = 'KEY_INACTIVE'} end
  return nil, {account = key[1], id = key[2], epoch = meta[2], models = key[5], limits = key[6] or '',
    first = key[7] or '', expiresAt = key[4], assignment = key[8] ~= '' and key[8] or nil,
    zone = key[9] or '', dimensions = key[10] or nil, rulesMark = key[11] or ''}
end

-- The caller has judged the request by the rules with this mark (key-rules.ts); empty if it knows of none. Returns nil if the key
-- has the same, or else its own: the caller has to judge again.
local function check_rules(key_hash, key, mark)
  if key.rulesMark == mark then return nil end
  return {status = 'OTHER_RULES', rulesMark = key.rulesMark,
    rules = redis.call('HGET', tag .. ':key:' .. key_hash, 'addresses') or ''}
end
