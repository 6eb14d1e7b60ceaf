-- What the charges of a key are attributed to: `id:project:user`. `id` is the number of the assignment in the ledger, empty
-- for a key that was never moved; the others are empty if there is none. A hold keeps it, so a charge belongs to the project
-- in which the key was when its request began. Keys and holds of older versions have an empty text.

-- The number that a charge carries; nil if it is the key's own id.
local function assignment_id(assignment)
  return assignment and string.match(assignment, '^(%d+):')
end

-- The project and the user; each nil if there is none.
local function assigned_to(assignment)
  local project, user = string.match(assignment or '', '^%d*:(%d*):(%d*)$')
  return project ~= '' and project or nil, user ~= '' and user or nil
end
