-- requires: numbers
-- The records of what was spent within scopes (spending.lua). Each is a list of values:
--
--   1    epoch    the shard's in which the record was made; after a `?` while the ledger has yet to tell what was spent before
--   2    held     what running requests and leases may spend; of those that were judged by a budget of the scope
--   3    zone     offsets of the organization's time zone (zone-offsets.ts), in which windows begin; any other text has the ledger
--                 asked again. A record of an older version has none: it is UTC
--   4    asked    the entry of the usage stream that has asked the ledger: what was charged before it is the ledger's to tell
--
-- and then, at the places that spend-limits.ts gives each period, the number of one of its windows and what was spent in it; `total`
-- has no windows. A record that an older version has written ends before the periods that it did not have, and one of a newer
-- version keeps those that it has besides. Numbers are texts once they are larger than a Lua number can hold exactly.
--
-- The record of a key is the hash {s}:spend:<key id>, as version 0.1.0 has it too; `spend_fields` are its fields. The others of an
-- account are fields of the hash {s}:counted:<account>, in MessagePack: one command reads all that a request is counted in, and
-- another one writes them.

local epoch_at, held_at, zone_at, asked_at = 1, 2, 3, 4

-- By scope, as they were read in this run and changed since; without values if there is none.
local spend_records = {}
-- By scope, how much of a record has yet to be written: what is held, what was spent too, or all of it.
local spend_changes = {}
local changed_held, changed_spent, changed_all = 1, 2, 3

-- Other scopes begin with a letter.
local function is_of_key(scope)
  return string.byte(scope) <= 57
end

local function spend_key(key_id)
  return tag .. ':spend:' .. key_id
end

local function counted_key(account)
  return tag .. ':counted:' .. account
end

-- Reads those of these scopes into `spend_records`.
local function load_records(account, scopes)
  local others
  for _, scope in pairs(scopes) do
    if not spend_records[scope] and is_of_key(scope) then
      local record = redis.call('HMGET', spend_key(scope), unpack(spend_fields))
      record[held_at] = tonumber(record[held_at])
      for _, limit in ipairs(spend_limits) do
        if limit.window then record[limit.window_at] = tonumber(record[limit.window_at]) end
      end
      spend_records[scope] = record
    elseif not spend_records[scope] then
      others = others or {}
      others[#others + 1] = scope
    end
  end
  if not others then return end
  for place, packed in ipairs(redis.call('HMGET', counted_key(account), unpack(others))) do
    spend_records[others[place]] = packed and {cmsgpack.unpack(packed)} or {}
  end
end

local function write_key_record(key_id, record, changed)
  if changed == changed_held then
    redis.call('HSET', spend_key(key_id), 'held', text(record[held_at]))
    return
  end
  local fields = {'held', text(record[held_at])}
  if changed == changed_all then
    fields = {'epoch', record[epoch_at], 'held', fields[2], 'zone', record[zone_at] or '', 'asked', record[asked_at] or ''}
  end
  for _, limit in ipairs(spend_limits) do
    local counted, window = record[limit.counted_at] or 0, record[limit.window_at]
    if limit.window and changed == changed_all and window then
      fields[#fields + 1], fields[#fields + 2] = limit.name, text(window)
    end
    fields[#fields + 1], fields[#fields + 2] = limit.counted, type(counted) == 'number' and text(counted) or counted
  end
  redis.call('HSET', spend_key(key_id), unpack(fields))
end

-- Writes what has changed since. All of it is of one account.
local function write_records(account)
  local packed
  for scope, changed in pairs(spend_changes) do
    spend_changes[scope] = nil
    if is_of_key(scope) then
      write_key_record(scope, spend_records[scope], changed)
    else
      packed = packed or {}
      packed[#packed + 1], packed[#packed + 2] = scope, cmsgpack.pack(unpack(spend_records[scope]))
    end
  end
  if packed then redis.call('HSET', counted_key(account), unpack(packed)) end
end

-- Writes a record in place of the one of the scope, if there is one.
local function replace_record(account, scope, record)
  if is_of_key(scope) then redis.call('DEL', spend_key(scope)) end
  spend_records[scope], spend_changes[scope] = record, changed_all
  write_records(account)
end

-- Changes how much is held within a scope, of which there is a record. The caller must then write it.
local function add_held(scope, difference)
  local record = spend_records[scope]
  record[held_at] = (record[held_at] or 0) + difference
  spend_changes[scope] = spend_changes[scope] or changed_held
end

local exact_below = 9007199254740992
local billion = 1000000000

-- The sum of what was counted and a difference: a number, or a text if doubles are not exact for it.
local function add_to(counted, difference)
  local number = counted + 0
  local sum = number + difference
  if number < exact_below and sum < exact_below then return sum end
  local digits = type(counted) == 'number' and text(counted) or counted
  local more = math.floor(difference / billion)
  local low = tonumber(string.sub(digits, -9)) + difference - more * billion
  local carry = math.floor(low / billion)
  return text((tonumber(string.sub(digits, 1, -10)) or 0) + more + carry) .. string.format('%09d', low - carry * billion)
end
