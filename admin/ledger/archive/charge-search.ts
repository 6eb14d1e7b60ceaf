/** Which charges of a file are wanted. */
import { earlierOf, laterOf, quarterMs, type TimeRange } from '../times.ts';
import type { ChargeGroup, FileRow } from './file/charge-file.ts';

export interface ChargesWanted extends TimeRange {
  readonly accountId: number;
  readonly model?: string | undefined;
  readonly keyIds?: readonly number[] | undefined;
  /** The starts of quarters of an hour: only what was charged in these. */
  readonly quarters?: readonly Date[] | undefined;
  /** Of who reads them: nothing is read for a client that has disconnected. */
  readonly signal?: AbortSignal | undefined;
}

export function mayHave(
  { firstAccount, lastAccount, firstMicros, lastMicros }: ChargeGroup,
  { accountId, from, to }: TimeRange & { readonly accountId: number | undefined },
): boolean {
  if (accountId !== undefined && (firstAccount > accountId || lastAccount < accountId)) return false;
  return (from === undefined || lastMicros >= microsOf(from)) && (to === undefined || firstMicros < microsOf(to));
}

/** What is wanted, as it is looked for in files. */
export interface Search extends TimeRange {
  readonly accountId: number;
  readonly model: string | undefined;
  readonly keyIds: ReadonlySet<number> | undefined;
  /** Numbers of quarters of an hour since 1970. */
  readonly quarters: ReadonlySet<number> | undefined;
}

export function searchFor({ accountId, model, keyIds, quarters, from, to }: ChargesWanted): Search {
  const times = quarters?.map((quarter) => quarter.getTime());
  return {
    ...{ accountId, model, keyIds: keyIds && new Set(keyIds) },
    quarters: times && new Set(times.map((time) => time / quarterMs)),
    from: laterOf(from, times && new Date(times.reduce((one, other) => Math.min(one, other), Infinity))),
    to: earlierOf(to, times && new Date(times.reduce((one, other) => Math.max(one, other), 0) + quarterMs)),
  };
}

export function isTimeOf({ from, to, quarters }: Search, micros: bigint): boolean {
  if ((from !== undefined && micros < microsOf(from)) || (to !== undefined && micros >= microsOf(to))) return false;
  return quarters?.has(Math.floor(Number(micros) / (quarterMs * 1_000))) ?? true;
}

/** Whether the group has a time of one of them. */
export function hasQuarter(
  { firstMicros, lastMicros }: ChargeGroup,
  quarters: ReadonlySet<number> | undefined,
): boolean {
  if (quarters === undefined) return true;
  const [first, last] = [firstMicros, lastMicros].map((at) => Math.floor(Number(at) / (quarterMs * 1_000)));
  return quarters.values().some((quarter) => quarter >= (first ?? 0) && quarter <= (last ?? 0));
}

export function isWanted({ model, keyIds }: Search): (row: FileRow) => boolean {
  return (row) => (model === undefined || row.model === model) && (keyIds?.has(Number(row.key_id)) ?? true);
}

export const microsOf = (at: Date) => BigInt(at.getTime()) * 1_000n;
