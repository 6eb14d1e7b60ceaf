-- What wallet scripts know of holds. A hold counts in its wallet, among the requests at once, and in
-- the spending of its key if that is limited; it leaves all of them in the same step.

-- `{s}:request:<request>` is what is known of a request: its hold while it runs, and its outcome after: `void`, for ten
-- minutes, or `rank:cost`, where rank 1 is an estimate and 2 is final, for a day. One takes the other's place, so that no
-- request has both.
--
-- A hold is one text: `hold`, six doubles, then the other members with blanks between them, `-` where there is none; the
-- detail, which may have blanks, comes last. It is written and read as a whole, in less than half the time of a
-- hash. An outcome is one word.
--
-- `at_once`: it counts among the requests at once. A whole answer of an older version does not, and no hold that a renewal
-- has restored. `tokens` are those that the limit of tokens a minute was charged at `counted_at`. `capped` is the epoch in
-- which the key's spending was charged with the hold; it has none where the key has no such limit. `cap`, `tokens` and
-- `counted_at` are missing from a hold that a renewal has restored because Redis had lost it, which is written as -1.
local hold_mark = 'hold'

local function write_hold(hold)
  redis.call('SET', tag .. ':request:' .. hold.request, hold_mark .. struct.pack('<dddddd', hold.amount, hold.progress,
    hold.at_once and 1 or 0, hold.cap or -1, hold.tokens or -1, hold.counted_at or -1)
    .. hold.account .. ' ' .. hold.key .. ' ' .. (hold.capped or '-') .. ' ' .. hold.detail)
end

-- True for a hold that a renewal has restored.
local function was_lost(hold)
  return hold ~= nil and hold.cap == nil
end

local function write_outcome(request, outcome)
  local seconds = outcome == 'void' and void_seconds or outcome_seconds
  redis.call('SET', tag .. ':request:' .. request, outcome, 'EX', seconds)
end

-- The hold and the outcome of a request: one of them is nil, or both.
local function read_request(request)
  local packed = redis.call('GET', tag .. ':request:' .. request)
  if not packed then return nil, nil end
  if string.sub(packed, 1, #hold_mark) ~= hold_mark then return nil, packed end
  local amount_held, progress, at_once, cap, tokens, counted_at, rest = struct.unpack('<dddddd', packed, #hold_mark + 1)
  local account, key, capped, detail = string.match(packed, '^(%S+) (%S+) (%S+) (.*)$', rest)
  return {
    request = request, account = account, key = key, amount = amount_held, progress = progress, at_once = at_once == 1,
    cap = cap >= 0 and cap or nil, tokens = tokens >= 0 and tokens or nil,
    counted_at = counted_at >= 0 and counted_at or nil, capped = capped ~= '-' and capped or nil, detail = detail,
  }
end

-- What an Idempotency-Key was used for, for a day: `body` its digest, `request` the first request, `answer` its answer
-- once there is one. A request that ended without an answer leaves the key free.
local function judge_repetition(use, body_digest)
  local earlier = redis.call('HMGET', tag .. ':once:' .. use, 'body', 'request', 'answer')
  if not earlier[1] then return nil end
  if earlier[1] ~= body_digest then return {'REUSED'} end
  if earlier[3] then return {'ANSWERED', earlier[3]} end
  if read_request(earlier[2]) then return {'IN_PROGRESS'} end
  return nil
end

-- Changes what the key's spending is charged with for a hold, unless that was taken over anew from the ledger since.
local function hold_for_key(hold, difference)
  if hold.capped and redis.call('HGET', spend_key(hold.key), 'epoch') == hold.capped then
    redis.call('HINCRBY', spend_key(hold.key), 'held', text(difference))
  end
end

-- Moves what is missing of the wanted amount from the wallet to the hold, which has then to be written.
local function raise_hold(wallet, hold, wanted)
  local more = wanted - hold.amount
  if more <= 0 then return end
  wallet.available = wallet.available - more
  wallet.held = wallet.held + more
  write_wallet(wallet)
  hold.amount = wanted
  hold_for_key(hold, more)
end

-- Gives back what a request holds. Its wallet, nil where there is none, has to be written then, and an outcome has to
-- take the hold's place. `hold` is nil where there is none.
local function end_hold(request, hold, wallet)
  redis.call('ZREM', holds_key, request)
  if not hold then return end
  hold_for_key(hold, -hold.amount)
  if not wallet then return end
  wallet.available = wallet.available + hold.amount
  wallet.held = wallet.held - hold.amount
end
