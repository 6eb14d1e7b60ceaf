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

/** An entry is one JSON text. What is none is shown as it is. */
export function readEntry([id, flat]: [id: string, flat: string[]]): UsageEntry {
  const raw: Record<string, string> = {};
  for (let index = 0; index + 1 < flat.length; index += 2) raw[flat[index] ?? ''] = flat[index + 1] ?? '';
  return { id, fields: readFields(raw.entry ?? '') ?? raw };
}

function readFields(text: string): Readonly<Record<string, string>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isTexts(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isTexts(value: unknown): value is Record<string, string> {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).every((each) => typeof each === 'string');
}
