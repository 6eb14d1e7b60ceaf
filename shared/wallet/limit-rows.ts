/** The rows of limits as the wallet's scripts see them. They walk these lists with loops that unroll-rows.ts spells out. */
import { budgetKinds } from '../limits/budget-levels.ts';
import { rateLimits, rateWindows } from '../limits/rate-limits.ts';
import { spendLimits } from '../limits/spend-limits.ts';
import type { LuaLists } from './unroll-rows.ts';

/** In the order in which the defaults are passed: those with windows as the scripts keep them, then the others. */
export const rateLimitsInScripts = [...rateWindows, ...rateLimits.filter(({ window }) => window === undefined)];

/** The values of a record of what was spent within a scope (spend-records.lua), in their order. */
export const spendFields = ['epoch', 'held', 'zone', 'asked'];
const before = spendFields.length;
for (const { name, window, counted, place } of spendLimits) {
  spendFields[before + place - 1] = counted;
  if (window !== undefined) spendFields[before + place - 2] = name;
}
const placeOf = (field: string) => spendFields.indexOf(field) + 1;

const spendRows = spendLimits.map(({ name, published, counted, window }) => ({
  name,
  // Of a key's own limit.
  published,
  counted,
  counted_at: placeOf(counted),
  window_at: window === undefined ? null : placeOf(name),
  window: window ?? null,
}));

const budgetRows = budgetKinds.map(({ level, limit, published }) => ({
  published,
  level: level.name,
  period: limit.name,
  counted_at: placeOf(limit.counted),
  window_at: limit.window === undefined ? null : placeOf(limit.name),
  window: limit.window ?? null,
}));

export const limitLists: LuaLists = {
  rows: {
    rate_limits: rateLimitsInScripts.map(({ inScripts, published }) => ({ name: inScripts, ...published })),
    rate_windows: rateWindows.map(({ inScripts, counts, window }) => ({ name: inScripts, counts, ms: window.ms })),
    // `key` and `account` are the members of a hold that say how long a token takes to drain.
    token_windows: rateWindows.flatMap(({ inScripts, window, drain }, index) =>
      drain === undefined ? [] : [{ name: inScripts, place: index + 1, ms: window.ms, ...drain }],
    ),
    spend_limits: spendRows,
    spend_budgets: budgetRows,
  },
  values: { spend_fields: spendFields },
};

/** A part of scripts, which rate.lua and limits.lua require. */
export const rateLimitsPart = `local rate_count, rate_bytes = ${rateWindows.length}, ${8 * rateWindows.length}
local rate_format = '<${'d'.repeat(rateWindows.length)}'
local default_pattern = '${rateLimitsInScripts.map(() => '(%d+)').join(' ')}'`;
