-- Numbers as scripts receive and return them: decimal strings, money in nano-USD. A Lua number is a double, exact
-- below 2^53; a wallet is capped below that, so comparing and adding `available` and `held` is exact. `tostring` and
-- `..` round from 15 digits on: use `text`.

-- `%d` is exact for every integer that a double holds, and three times as fast as `%.0f`.
local function text(number)
  return string.format('%d', number)
end

local function amount(argument)
  local number = tonumber(argument)
  if not number or number < 0 or number ~= math.floor(number) or number >= 9007199254740992 then
    error('not an amount: ' .. tostring(argument))
  end
  return number
end
