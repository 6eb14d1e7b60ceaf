#!lua flags=allow-oom
-- Returns a key's limits, its spending, and its account's balance, for a caller who has nothing but the key. Holds no
-- money; counts as a request.
--
-- The spending of a key without a spending limit is not counted here. The ledger provides it when asked, and its response
-- is cached for a few seconds, as `day,daySpent,month,monthSpent,total`.
--
-- Works on {s}:meta, {s}:key:<hash> and, of the key's account, {s}:wallet:<account>, {s}:spend:<key id> and
-- {s}:spent:<key id>.
-- requires: key, limits, spending, wallet
-- arguments:
--   keyHash
--   identity               the run id of the Redis that the caller is connected to
--   requestsPerMinute      this and the next two are the default limits of a key
--   tokensPerMinute
--   concurrentStreams
--   withSpending           1 to include what the key has spent
-- Returns one of
--   OK available held credited spent expiresAt models requestsPerMinute tokensPerMinute concurrentStreams
--                                     `expiresAt` and `models` have the form described in publish-key.lua. The key's
--                                     spending limits, if it has any, are in spendDay, spendMonth and spendTotal. With
--                                     `withSpending`, keyDay, keyMonth and keyTotal are what it has spent, and keyHeld
--                                     what requests in flight may still spend
--   RECOVERING | KEY_UNKNOWN | KEY_INACTIVE | KEY_EXPIRED | EMAIL_UNPROVEN
--   LIMITED what scope limit waitMs     the request limit is exceeded
--   MISS account key shown              not in this Redis; request it with ask-ledger.lua
-- and, if a wallet was read, the rates as described in limits.lua.

local function read_shown(key_id)
  local shown = redis.call('GET', tag .. ':spent:' .. key_id)
  if not shown then return nil end
  local day, day_spent, month, month_spent, total = string.match(shown, '^(%d+),(%d+),(%d+),(%d+),(%d+)')
  local today = math.floor(now_ms() / 86400000)
  if tonumber(day) ~= today then day_spent = '0' end
  if tonumber(month) ~= month_of(today) then month_spent = '0' end
  return {day = day_spent, month = month_spent, total = total, held = '0'}
end

local function read_counted(key)
  local spend = read_spend(key.id, key.epoch)
  if not spend then return nil end
  return {day = text(spend.day), month = text(spend.month), total = text(spend.total), held = text(spend.held)}
end

local refusal, key = judge_key(order.keyHash, order.identity)
if refusal then return refusal end
local limits = read_limits(key.limits, order)
local wallet = read_wallet(key.account, key.id)
local is_asked, spent = order.withSpending == '1', nil
if is_asked and limits.spend then spent = read_counted(key) elseif is_asked then spent = read_shown(key.id) end
if not wallet or (is_asked and not spent) then
  local counted, shown = '', ''
  if is_asked and not spent and limits.spend then counted = key.id elseif is_asked and not spent then shown = key.id end
  return {status = 'MISS', account = key.account, key = counted, shown = shown}
end

local rates = read_rates(wallet)
local exceeded = judge_rates(rates, limits, unheld)
if exceeded then return with_rates(exceeded, rates, limits) end
count_unheld(wallet, rates, limits)

local reply = {
  status = 'OK', available = text(wallet.available), held = text(wallet.held),
  credited = redis.call('HGET', wallet.key, 'credited'), spent = wallet.spent,
  expiresAt = redis.call('HGET', tag .. ':key:' .. order.keyHash, 'expiresAt'), models = key.models,
  requestsPerMinute = text(limits.key.requests), tokensPerMinute = text(limits.key.tokens),
  concurrentStreams = text(limits.key.streams),
}
if limits.spend then
  local day, month, total = limits.spend.day, limits.spend.month, limits.spend.total
  reply.spendDay, reply.spendMonth = day and text(day), month and text(month)
  reply.spendTotal = total and text(total)
end
if spent then reply.keyDay, reply.keyMonth, reply.keyTotal, reply.keyHeld = spent.day, spent.month, spent.total, spent.held end
return with_rates(reply, rates, limits)
