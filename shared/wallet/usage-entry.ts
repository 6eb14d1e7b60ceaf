/** What the usage stream holds, as both ways of reading it give it. */
import type { Shard } from '../shard.ts';

export interface UsageEntry {
  /** `milliseconds-number`, given by Redis, rising. */
  readonly id: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface ShardEntries {
  readonly shard: Shard;
  readonly entries: readonly UsageEntry[];
}

export function readEntry([id, flat]: [id: string, flat: string[]]): UsageEntry {
  const fields: Record<string, string> = {};
  for (let index = 0; index + 1 < flat.length; index += 2) fields[flat[index] ?? ''] = flat[index + 1] ?? '';
  return { id, fields };
}
