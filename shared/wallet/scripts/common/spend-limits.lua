-- The spending limits among the limits that are published with a key.

-- A key's own limits, if there is a spending limit among them.
local function with_spend_limit(own)
  for _, limit in ipairs(spend_limits) do
    if own[limit.published] then return own end
  end
  return nil
end
