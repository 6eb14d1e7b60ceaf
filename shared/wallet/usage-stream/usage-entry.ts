/**
 * The entries of the usage stream, parsed in the same way for all who read it. A draw from a lease appends one entry with
 * many charges, which is read as one entry for each.
 */
import { readJson } from '../../read-json.ts';
import type { Shard } from '../shard.ts';

export interface UsageEntry {
  /** `milliseconds-number`, assigned by Redis in ascending order. Charges of one draw have the same. */
  readonly id: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface ShardEntries {
  readonly shard: Shard;
  readonly entries: readonly UsageEntry[];
  /** How many the stream has of them: fewer if some have many charges. */
  readonly streamed: number;
  /** Whether there were more than the reader wanted. */
  readonly isCutOff: boolean;
}

type RawEntry = [id: string, flat: string[]];
type Fields = Readonly<Record<string, string>>;

/** The first `limit` entries at most, and whole ones: with no more than `limit` charges, unless the first has more. */
export function readShard(shard: Shard, raw: readonly RawEntry[], limit: number): ShardEntries {
  const entries: UsageEntry[] = [];
  let streamed = 0;
  for (const one of raw) {
    const read = readEntries(one);
    if (streamed > 0 && entries.length + read.length > limit) break;
    entries.push(...read);
    streamed += 1;
  }
  return { shard, entries, streamed, isCutOff: streamed < raw.length || raw.length >= limit };
}

/**
 * An entry is one JSON text whose members are strings; others belong to a newer version. An entry that is not a JSON
 * object is returned with its raw fields.
 */
export function readEntries([id, flat]: RawEntry): UsageEntry[] {
  const raw: Record<string, string> = {};
  for (let index = 0; index + 1 < flat.length; index += 2) raw[flat[index] ?? ''] = flat[index + 1] ?? '';
  const fields = readFields(raw.entry ?? '') ?? raw;
  return (readCharges(fields) ?? [fields]).map((each) => ({ id, fields: each }));
}

function readFields(text: string): Fields | undefined {
  const value = readJson(text);
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => typeof member === 'string'));
}

const wholeNumber = /^\d{1,18}$/;

/**
 * The charges of a draw, as if each had an entry of its own: `seq` and `spent` are the wallet's after the last of them, and
 * so are counted back for the others. Undefined if the entry is another one, or cannot be read.
 */
function readCharges({ kind, charges = '', seq = '', spent = '', ...common }: Fields): Fields[] | undefined {
  if (kind !== 'charges' || !wholeNumber.test(seq) || !wholeNumber.test(spent)) return undefined;
  const packed = readJson(charges);
  if (!Array.isArray(packed) || !packed.every(isPackedCharge)) return undefined;
  const read: Fields[] = [];
  const ofAll = { ...common, kind: 'charge', rank: '2' };
  let [number, sum] = [Number(seq), BigInt(spent)];
  for (const [request, cost, uncharged, detail] of packed.toReversed()) {
    read.push({ ...ofAll, request, cost, uncharged, detail, seq: String(number), spent: String(sum) });
    number -= 1;
    sum -= BigInt(cost);
  }
  return read.reverse();
}

type PackedCharge = [request: string, cost: string, uncharged: string, detail: string];

function isPackedCharge(value: unknown): value is PackedCharge {
  return (
    Array.isArray(value) &&
    value.length >= 4 &&
    value.slice(0, 4).every((member) => typeof member === 'string') &&
    wholeNumber.test(value[1])
  );
}
