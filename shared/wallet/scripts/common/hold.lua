-- requires: numbers, wallet, spending
-- `{s}:request:<request>` is what is known of a request: its hold while it runs, and its outcome afterwards. One takes the
-- other's place, so that no request has both.
--
-- A hold counts in its wallet, among the requests at once, and in the spending of its key if that is limited; it leaves all
-- of them in the same step. It is a MessagePack map, whose members a reader finds by their names:
--
--   account, key     their ids
--   amount           nano-USD that it keeps back
--   progress         nano-USD that was delivered so far, and `detail`, what that was for
--   cap              the output cap that was granted
--   atOnce           true if it counts among the requests at once; a hold that a renewal has restored does not
--   tokens           those that the limits of tokens a minute were charged, at `countedAt`; `keyTokenMs` and `accountTokenMs`
--                    are how long one of them takes to drain from each limit, missing where there is none
--   capped           the epoch in which the key's spending was charged with the hold; missing where the key has no limit
--
-- `cap`, `tokens` and what belongs to them are missing from a hold that a renewal has restored because Redis had lost it.
-- Before 0.1.0 a hold was the text `hold`, six doubles, then the other members with blanks between them.
--
-- An outcome is `void`, for ten minutes, or `rank:cost`, where rank 1 is an estimate and 2 is final, for a day. Further
-- members may follow, each behind a colon.

local outcome_seconds = 86400

-- How long it is known that a request was released. No call of such a request comes later than that, and requests that cost
-- nothing must not fill the memory.
local void_seconds = 600

local function write_hold(request, hold)
  redis.call('SET', tag .. ':request:' .. request, cmsgpack.pack(hold))
end

local function read_former_hold(packed)
  local amount_held, progress, at_once, cap, tokens, counted_at, rest = struct.unpack('<dddddd', packed, #'hold' + 1)
  local account, key, capped, detail = string.match(packed, '^(%S+) (%S+) (%S+) (.*)$', rest)
  return {
    account = account, key = key, amount = amount_held, progress = progress, atOnce = at_once == 1,
    cap = cap >= 0 and cap or nil, tokens = tokens >= 0 and tokens or nil,
    countedAt = counted_at >= 0 and counted_at or nil, capped = capped ~= '-' and capped or nil, detail = detail,
  }
end

-- The hold and the outcome of a request: one of them is nil, or both.
local function read_request(request)
  local packed = redis.call('GET', tag .. ':request:' .. request)
  if not packed then return nil, nil end
  if string.byte(packed) >= 0x80 then return cmsgpack.unpack(packed), nil end
  if string.sub(packed, 1, #'hold') == 'hold' then return read_former_hold(packed), nil end
  return nil, packed
end

-- True for a hold that a renewal has restored.
local function was_lost(hold)
  return hold ~= nil and hold.cap == nil
end

local function write_outcome(request, outcome)
  local seconds = outcome == 'void' and void_seconds or outcome_seconds
  redis.call('SET', tag .. ':request:' .. request, outcome, 'EX', seconds)
end

-- Changes what the key's spending is charged with for a hold, unless the ledger has been asked for that again since.
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
