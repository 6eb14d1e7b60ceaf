/** The entries of the usage stream, parsed in the same way for both ways of reading it. */
import type { Shard } from '../shard.ts';

export interface UsageEntry {
  /** `milliseconds-number`, assigned by Redis in ascending order. */
  readonly id: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface ShardEntries {
  readonly shard: Shard;
  readonly entries: readonly UsageEntry[];
}

/**
 * An entry is one JSON text whose members are strings; others belong to a newer version. An entry that is not a JSON
 * object is returned with its raw fields.
 */
export function readEntry([id, flat]: [id: string, flat: string[]]): UsageEntry {
  const raw: Record<string, string> = {};
  for (let index = 0; index + 1 < flat.length; index += 2) raw[flat[index] ?? ''] = flat[index + 1] ?? '';
  return { id, fields: readFields(raw.entry ?? '') ?? raw };
}

function readFields(text: string): Readonly<Record<string, string>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    return Object.fromEntries(Object.entries(value).filter(([, member]) => typeof member === 'string'));
  } catch {
    return undefined;
  }
}
