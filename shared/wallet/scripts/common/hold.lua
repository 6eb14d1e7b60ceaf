-- requires: numbers, wallet, spending
-- `{s}:request:<request>` is the state of a request: its hold while it runs, and its outcome afterwards. The outcome
-- replaces the hold, so no request has both.
--
-- A hold counts in its wallet, among the concurrent requests, and in the spending of its key if that is limited; it
-- leaves all of them in the same step. It is a MessagePack map:
--
--   account, key     their ids
--   amount           nano-USD held
--   progress         cost in nano-USD of what was delivered so far; `detail` is its charge detail
--   cap              the output cap that was granted
--   atOnce           true if it counts among the concurrent requests; a hold restored by a renewal does not
--   tokens           how many were counted against the limits of tokens per minute, at `countedAt`; `keyTokenMs` and
--                    `accountTokenMs` are how long one token takes to drain from each limit, missing without a limit
--   withdrawal       true if it is no request but money that is about to leave the wallet (set-aside.lua)
--   assignment       what its charge is attributed to (assignment.lua); missing from holds of older versions
--   capped           the epoch in which the hold was counted in the key's spending; missing if the key has no limit
--
-- `cap`, `tokens` and the members that belong to it are missing from a hold that Redis lost and a renewal restored.
--
-- An outcome is `void`, kept for ten minutes, or `rank:cost`, kept for a day; rank 1 is an estimate and 2 is final.
-- Further members may follow, each after a colon.

local outcome_seconds = 86400

-- How long a release is remembered. No call for a released request arrives later than that, and requests that cost
-- nothing must not fill the memory.
local void_seconds = 600

local function write_hold(request, hold)
  redis.call('SET', tag .. ':request:' .. request, cmsgpack.pack(hold))
end

-- Returns the hold and the outcome of a request; at least one of them is nil.
local function read_request(request)
  local packed = redis.call('GET', tag .. ':request:' .. request)
  if not packed then return nil, nil end
  if string.byte(packed) >= 0x80 then return cmsgpack.unpack(packed), nil end
  return nil, packed
end

-- True for a hold that a renewal restored.
local function was_lost(hold)
  return hold ~= nil and hold.cap == nil
end

local function write_outcome(request, outcome)
  local seconds = outcome == 'void' and void_seconds or outcome_seconds
  redis.call('SET', tag .. ':request:' .. request, outcome, 'EX', seconds)
end

-- Changes how much of the key's spending is held, unless that spending was loaded from the ledger again since.
local function hold_for_key(hold, difference)
  if hold.capped and redis.call('HGET', spend_key(hold.key), 'epoch') == hold.capped then
    redis.call('HINCRBY', spend_key(hold.key), 'held', text(difference))
  end
end

-- Raises a hold to the wanted amount from the wallet. The caller must then write the hold.
local function raise_hold(wallet, hold, wanted)
  local more = wanted - hold.amount
  if more <= 0 then return end
  wallet.available = wallet.available - more
  wallet.held = wallet.held + more
  write_wallet(wallet)
  hold.amount = wanted
  hold_for_key(hold, more)
end

-- Returns a request's hold to its wallet. The caller must then write the wallet, and replace the hold by an outcome.
-- `hold` and `wallet` may be nil.
local function end_hold(request, hold, wallet)
  redis.call('ZREM', holds_key, request)
  if not hold then return end
  hold_for_key(hold, -hold.amount)
  if not wallet then return end
  wallet.available = wallet.available + hold.amount
  wallet.held = wallet.held - hold.amount
end
