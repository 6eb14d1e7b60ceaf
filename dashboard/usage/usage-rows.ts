/** Rows of usage as the API returns them, and their sums. */
import { sumDecimals } from '../app/money/decimal.ts';

/** What usage is grouped by, besides time. */
export const usageGroups = ['model', 'key'] as const;
export type UsageGroup = (typeof usageGroups)[number];

export type Slot = 'day' | 'hour';

export interface UsageSum {
  readonly cost: string;
  readonly requests: number;
  readonly promptTokens: number;
  readonly cachedPromptTokens: number;
  readonly cacheWriteTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  readonly images: number;
}

export interface UsageRow extends UsageSum {
  readonly day?: string;
  readonly hour?: string;
  readonly model?: string;
  readonly keyId?: number;
  readonly keyName?: string | null;
}

const counts = [
  'requests',
  'promptTokens',
  'cachedPromptTokens',
  'cacheWriteTokens',
  'completionTokens',
  'reasoningTokens',
  'images',
] as const;

export function sumUsage(rows: readonly UsageSum[]): UsageSum {
  const sums = Object.fromEntries(counts.map((name) => [name, rows.reduce((sum, row) => sum + row[name], 0)]));
  return { ...(sums as Record<(typeof counts)[number], number>), cost: sumDecimals(rows.map(({ cost }) => cost)) };
}

/** Rows by what a function tells of them, in the order in which it is first seen. */
export function groupRows(rows: readonly UsageRow[], idOf: (row: UsageRow) => string): Map<string, UsageRow[]> {
  const groups = new Map<string, UsageRow[]>();
  for (const row of rows) {
    const group = groups.get(idOf(row));
    if (group === undefined) groups.set(idOf(row), [row]);
    else group.push(row);
  }
  return groups;
}
