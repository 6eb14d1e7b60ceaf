-- The budgets among the limits that are published with a key: its own, and those of its member, project and organization.

-- A list of {level, period, counted_at, window, window_at, most}, in the order in which they are checked; nil if there is none.
local function budgets_of(own)
  local budgets
  for _, budget in ipairs(spend_budgets) do
    local most = own[budget.published]
    if most then
      budgets = budgets or {}
      budgets[#budgets + 1] = {
        level = budget.level, period = budget.period, counted_at = budget.counted_at, window = budget.window,
        window_at = budget.window_at, most = most,
      }
    end
  end
  return budgets
end
