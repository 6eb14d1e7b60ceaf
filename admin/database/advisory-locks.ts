/**
 * All Postgres advisory locks of the gateway, so that no two purposes share one by mistake. Versions that run side by
 * side rely on these numbers and words: they never change, and are never reused.
 */

import type { Sql } from 'postgres';

interface NumberedLock {
  readonly number: number;
  readonly guards: string;
}

/** One for the whole database. */
export const numberedLocks = {
  migration: { number: 7_201_001, guards: 'the schema, while migrations run' },
  shardLock: {
    number: 7_201_002,
    guards: 'a shard, which one admin at a time works on; used with the shard as second key',
  },
  partitions: { number: 7_201_003, guards: 'the creation of a partition' },
  catalogue: { number: 7_201_004, guards: 'the current catalogue, while another one replaces it' },
  operators: { number: 7_201_005, guards: 'the set of operators, of whom one must remain' },
  archive: { number: 7_201_006, guards: 'the archive and packed totals, while something is moved into them' },
  seals: { number: 7_201_007, guards: 'the seals, while a month is sealed' },
  priceList: { number: 7_201_008, guards: 'the decision to compare the catalogue with a price list now' },
} as const satisfies Readonly<Record<string, NumberedLock>>;

/** One per subject: its number is a hash of the word and the subject. */
export const subjectLocks = {
  company: "an account's company details, between reading and changing them",
  idempotency: 'the work of a request, identified by the hash of its Idempotency-Key',
  keys: "the set of an account's keys, while it changes",
  lots: "the counting of an account's long history into its lots",
  'repair of account': "an account's wallet, while it is repaired",
} as const satisfies Readonly<Record<string, string>>;

/** The text whose `hashtextextended(…, 0)` is the lock's number. */
export function subjectOf(lock: keyof typeof subjectLocks, subject: string | number): string {
  return `${lock} ${subject}`;
}

/** Undefined if another program has the lock; then nothing is done. A connection is held meanwhile, and others do the work. */
export async function whileLocked<Result>(
  sql: Sql,
  name: keyof typeof numberedLocks,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  const lock = await sql.reserve();
  try {
    const [taken] = await lock<
      { isFree: boolean }[]
    >`SELECT pg_try_advisory_lock(${numberedLocks[name].number}) AS "isFree"`;
    if (taken?.isFree !== true) return undefined;
    try {
      return await work();
    } finally {
      await lock`SELECT pg_advisory_unlock(${numberedLocks[name].number})`;
    }
  } finally {
    lock.release();
  }
}
