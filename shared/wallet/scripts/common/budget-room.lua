-- requires: epoch, spend-limits, spending, hold
-- What budgets leave for more than a request holds: its provider has ignored the cap that it was given, or its hold has expired.
-- Other renewals and charges do not ask.

-- How much of `available` the budgets of a key allow besides the hold, which is counted in their records from now on and which
-- the caller must then write; it may be nil. Budgets of scopes that a charge with this assignment is not counted in are not asked,
-- nor is one whose record has yet to come from the ledger, nor those of a deleted key. `key_hash` is empty
-- for a charge that Redis had before.
local function room_in_budgets(available, key_hash, assignment, hold)
  if key_hash == '' then return available end
  local record = redis.call('HMGET', tag .. ':key:' .. key_hash, 'account', 'id', 'limits', 'assignment')
  local published = record[3] or ''
  local budgets = published ~= '' and budgets_of(cmsgpack.unpack(published))
  if not budgets then return available end
  -- Without a zone: until a request has asked for its record in a new one, the former is counted on.
  local key = {
    account = record[1], id = record[2], epoch = read_epoch(), assignment = record[4] ~= '' and record[4] or nil,
  }
  local spends, counted_in = read_spends(key, budgets), scopes_of(key.account, key.id, assignment)
  for level, scope in pairs(spends) do
    if scope ~= counted_in[level] then spends[level] = false end
  end
  if hold then join_spends(hold, key.epoch, spends) end
  return (spendable(available, spends, budgets))
end
