-- requires: numbers, wallet, spending
-- `{s}:request:<request>` is the state of a request: its hold while it runs, and its outcome afterwards. The outcome
-- replaces the hold, so no request has both.
--
-- A hold counts in its wallet, among the concurrent requests, and in the records of the budgets that judged it; it
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
--   capped           the epoch in which the hold was counted in what is held within its scopes; missing if no budget applied
--   scopes           the names of those scopes (spending.lua); missing in holds of versions that knew only keys'
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

-- Changes how much is held within the scopes of a hold, as change_held does, and writes it.
local function hold_in_scopes(hold, difference)
  change_held(hold.account, hold, difference)
  write_records(hold.account)
end

-- Counts a hold within these scopes too, in which it is not counted yet. If it is of an earlier epoch, it is in none of them.
-- Returns whether there was one.
local function join_spends(hold, epoch, spends)
  local joined = hold.capped == epoch and (hold.scopes or {hold.key}) or {}
  hold.scopes, hold.capped = joined, epoch
  local before = #joined
  for _, scope in pairs(spends) do
    local is_new = scope and true
    for _, held_in in ipairs(joined) do is_new = is_new and scope ~= held_in end
    if is_new then
      joined[#joined + 1] = scope
      if hold.amount ~= 0 then add_held(scope, hold.amount) end
    end
  end
  write_records(hold.account)
  return #joined > before
end

-- The same in the records that there are.
local function rejoin_spends(hold, epoch)
  local scopes, spends = scopes_of(hold.account, hold.key, hold.assignment), {}
  load_records(hold.account, scopes)
  for level, scope in pairs(scopes) do
    local record_epoch = spend_records[scope][epoch_at]
    if record_epoch == epoch or record_epoch == '?' .. epoch then spends[level] = scope end
  end
  if next(spends) then join_spends(hold, epoch, spends) end
end

-- Raises a hold to the wanted amount from the wallet. The caller must then write the hold.
local function raise_hold(wallet, hold, wanted)
  local more = wanted - hold.amount
  if more <= 0 then return end
  wallet.available = wallet.available - more
  wallet.held = wallet.held + more
  write_wallet(wallet)
  hold.amount = wanted
  hold_in_scopes(hold, more)
end

-- Returns a request's hold to its wallet. The caller must then write the wallet, replace the hold by an outcome, and end it in
-- its scopes: with hold_in_scopes, or with the charge. `hold` and `wallet` may be nil.
local function end_hold(request, hold, wallet)
  redis.call('ZREM', holds_key, request)
  if not hold or not wallet then return end
  wallet.available = wallet.available + hold.amount
  wallet.held = wallet.held - hold.amount
end
