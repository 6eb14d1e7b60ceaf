-- requires: numbers, key, leases
-- Decides whether a request may begin. Reserve and peek both take these arguments:
--
--   keyHash        hash of the API key
--   models         the ids of those that may serve it, between line feeds
--   amount         to hold at the full output cap, in nano-USD
--   promptPart     the part of the amount that is for the prompt
--   outputPrice    pico-USD for one more output token in each of the choices
--   outputCap      in tokens
--   lowestCap      the lowest cap that may be granted instead; 0 if the cap may not be lowered
--   identity       the run id of the Redis that the caller is connected to
--   defaultLimits  those of a key, in the order of `rate_limits`, separated by blanks; 0 is no limit
--   recalled       1 if the account's leases have just been recalled for it
--   rulesMark      of the rules that the request was judged by (check_rules in key.lua)

local numbers_of_reservation = {'amount', 'promptPart', 'outputPrice', 'outputCap', 'lowestCap'}

-- Checks whether a request may be made with its key, by its rules; returns the same as check_key.
local function check_start(reservation)
  local refusal, key = check_key(reservation.keyHash, reservation.identity)
  refusal = refusal or check_rules(reservation.keyHash, key, reservation.rulesMark)
  if refusal then return refusal end
  if key.models ~= '' then
    for model in string.gmatch(reservation.models, '[^\n]+') do
      if not string.find(key.models, '\n' .. model .. '\n', 1, true) then return {status = 'MODEL_NOT_ALLOWED'} end
    end
  end
  return nil, key
end

-- The same, of a request that needs money.
local function check_reservation(reservation)
  for _, name in ipairs(numbers_of_reservation) do reservation[name] = amount(reservation[name]) end
  return check_start(reservation)
end

-- Pico-USD to nano-USD, rounded up: the only rounding of money in Redis.
local function ceil_to_nano(pico)
  return math.ceil(pico / 1000)
end

-- The output cap that `available` covers and the amount to hold for it; nil if it does not cover even the lowest cap.
local function grant(available, reservation)
  local cap, wanted = reservation.outputCap, reservation.amount
  if wanted > available and reservation.lowestCap > 0 and reservation.outputPrice > 0 then
    cap = math.min(cap, math.floor((available - reservation.promptPart) * 1000 / reservation.outputPrice))
    wanted = reservation.promptPart + ceil_to_nano(cap * reservation.outputPrice)
    if wanted > available then
      -- A quotient of doubles may be one too high.
      cap = cap - 1
      wanted = reservation.promptPart + ceil_to_nano(cap * reservation.outputPrice)
    end
    if cap < reservation.lowestCap then return nil end
  end
  if wanted > available or available <= 0 then return nil end
  return cap, wanted
end

-- As `grant`, but a cap is not lowered for what leases of the account have until they have been recalled.
local function grant_with_leases(available, reservation, account)
  local cap, wanted = grant(available, reservation)
  if cap and cap < reservation.outputCap and reservation.recalled ~= '1' and count_leases(account) > 0 then return nil end
  return cap, wanted
end

-- Whether a granted cap was lowered because of what requests in flight hold. `at_rest` is what will be available once they have ended:
-- it covers the full cap, or at least twice the granted one.
local function is_cut_by_holds(cap, at_rest, reservation)
  if cap == reservation.outputCap then return false end
  return grant(at_rest, reservation) >= math.min(reservation.outputCap, 2 * cap)
end
