#!lua flags=allow-oom
-- What holds for a key, what it has spent, and what its account has: for a caller who has nothing but the key. Holds
-- nothing; counts as a request.
--
-- What a key without a spending limit has spent is not counted here. The ledger tells it when asked, and what it told is
-- kept for some seconds, as `day,spent on it,month,spent in it,spent in all`.
--
-- Works on {s}:meta, {s}:key:<hash> and, of the key's account, {s}:wallet:<account>, {s}:spend:<key id> and
-- {s}:spent:<key id>.
-- ARGV: 1 hash of the API key  2 identity of the Redis that the caller is connected to
--       3 a key's default limits: requests and tokens a minute, requests at once
--       4 1 if it is asked what the key has spent
-- Returns one of
--   OK available held credited spent expiry models limits spendLimits spentByKey rate
--                                     expiry and models as publish-key.lua has them; limits as ARGV 3, those of the key;
--                                     spendLimits `day,month,total`, empty where there is none; spentByKey the same and
--                                     what requests in flight may still spend, empty where it is not asked for
--   RECOVERING | KEY_UNKNOWN | KEY_INACTIVE | KEY_EXPIRED | EMAIL_UNPROVEN
--   LIMITED what scope limit milliseconds rate     more than the limit of requests
--   MISS account keyId shownKeyId     not known in this Redis; ask-ledger.lua asks for it
-- where rate is what describe_rate tells.

local function read_shown(key_id)
  local shown = redis.call('GET', tag .. ':spent:' .. key_id)
  if not shown then return nil end
  local day, day_spent, month, month_spent, total = string.match(shown, '^(%d+),(%d+),(%d+),(%d+),(%d+)$')
  local today = math.floor(now_ms() / 86400000)
  if tonumber(day) ~= today then day_spent = '0' end
  if tonumber(month) ~= month_of(today) then month_spent = '0' end
  return day_spent .. ',' .. month_spent .. ',' .. total .. ',0'
end

local function read_counted(key)
  local spend = read_spend(key.id, key.epoch)
  if not spend then return nil end
  return text(spend.day) .. ',' .. text(spend.month) .. ',' .. text(spend.total) .. ',' .. text(spend.held)
end

local function limit_text(limit)
  return limit and text(limit) or ''
end

local key_hash, is_asked = ARGV[1], ARGV[4] == '1'
local refusal, key = judge_key(key_hash, ARGV[2])
if refusal then return {refusal} end
local limits = read_limits(key.limits, ARGV[3])
local wallet = read_wallet(key.account, key.id)
local spent = ''
if is_asked then spent = limits.spend and read_counted(key) or not limits.spend and read_shown(key.id) or nil end
if not wallet or not spent then
  local counted, shown = '', ''
  if not spent and limits.spend then counted = key.id elseif not spent then shown = key.id end
  return {'MISS', key.account, counted, shown}
end

local rate = read_rate(wallet)
local exceeded = judge_rate(rate, limits, unheld)
if exceeded then return append(exceeded, {describe_rate(rate, limits)}) end
count_unheld(wallet, rate)

local spend_limits = limits.spend or {}
return {
  'OK', text(wallet.available), text(wallet.held), redis.call('HGET', wallet.key, 'credited'), wallet.spent,
  redis.call('HGET', tag .. ':key:' .. key_hash, 'expiresAt'), key.models,
  text(limits.key[1]) .. ',' .. text(limits.key[2]) .. ',' .. text(limits.key[3]),
  limit_text(spend_limits.day) .. ',' .. limit_text(spend_limits.month) .. ',' .. limit_text(spend_limits.total),
  spent, describe_rate(rate, limits),
}
