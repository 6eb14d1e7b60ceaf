-- requires: numbers, key
-- Decides whether a request may begin. Reserve and peek both take these arguments:
--
--   keyHash        hash of the API key
--   model
--   amount         to hold at the full output cap, in nano-USD
--   promptPart     the part of the amount that is for the prompt
--   outputPrice    pico-USD for one more output token in each of the choices
--   outputCap      in tokens
--   lowestCap      the lowest cap that may be granted instead; 0 if the cap may not be lowered
--   identity       the run id of the Redis that the caller is connected to
--   defaultLimits  those of a key, in the order of `rate_limits`, separated by blanks; 0 is no limit

local numbers_of_order = {'amount', 'promptPart', 'outputPrice', 'outputCap', 'lowestCap'}

-- Checks whether the request may begin with its key; returns the same as judge_key.
local function judge_order(order)
  for _, name in ipairs(numbers_of_order) do order[name] = amount(order[name]) end
  local refusal, key = judge_key(order.keyHash, order.identity)
  if refusal then return refusal end
  if key.models ~= '' and not string.find(key.models, '\n' .. order.model .. '\n', 1, true) then
    return {status = 'MODEL_NOT_ALLOWED'}
  end
  return nil, key
end

-- Pico-USD to nano-USD, rounded up: the only rounding of money in Redis.
local function ceil_to_nano(pico)
  return math.ceil(pico / 1000)
end

-- The output cap that `available` covers and the amount to hold for it; nil if it does not cover even the lowest cap.
local function grant(available, order)
  local cap, wanted = order.outputCap, order.amount
  if wanted > available and order.lowestCap > 0 and order.outputPrice > 0 then
    cap = math.min(cap, math.floor((available - order.promptPart) * 1000 / order.outputPrice))
    wanted = order.promptPart + ceil_to_nano(cap * order.outputPrice)
    if wanted > available then
      -- A quotient of doubles may be one too high.
      cap = cap - 1
      wanted = order.promptPart + ceil_to_nano(cap * order.outputPrice)
    end
    if cap < order.lowestCap then return nil end
  end
  if wanted > available or available <= 0 then return nil end
  return cap, wanted
end
