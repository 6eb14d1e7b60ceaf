/**
 * The entries of the usage stream, parsed in the same way for all who read it. A draw from a lease appends one entry with
 * many charges, which is read as one entry for each: nearly all charges arrive like this, so they are read without a copy
 * of what they have in common.
 */
import { readJson } from '../../read-json.ts';
import type { Shard } from '../shard.ts';

export interface UsageEntry {
  /** `milliseconds-number`, assigned by Redis in ascending order. Charges of one draw have the same. */
  readonly id: string;
  /** Of a drawn charge, what it has in common with the others of its draw. */
  readonly fields: Fields;
  readonly drawn?: DrawnCharge;
}

type Fields = Readonly<Record<string, string>>;

/** One of the charges of a draw, which are all final. */
export interface DrawnCharge {
  readonly request: string;
  readonly cost: string;
  readonly uncharged: string;
  /** As charge-detail.ts writes it, parsed. */
  readonly detail: unknown;
  /** The wallet's after this charge. */
  readonly seq: number;
  readonly spent: bigint;
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
  return fields.kind === 'charges'
    ? unpack({ id, fields: { ...fields, charges: raw.charges ?? '' } })
    : [{ id, fields }];
}

/** The charges of a draw, which has them in `charges`. Any other entry is returned as it is, and so is a draw that cannot be read. */
export function unpack(entry: UsageEntry): UsageEntry[] {
  const { id } = entry;
  const { charges = '', ...fields } = entry.fields;
  const drawn = fields.kind === 'charges' ? readDrawn(fields, charges) : undefined;
  return drawn?.map((each) => ({ id, fields, drawn: each })) ?? [entry];
}

/** As if the charge had an entry of its own: what is stored of one that cannot be booked. */
export function fieldsOf({ fields, drawn }: UsageEntry): Fields {
  if (drawn === undefined) return fields;
  const { request, cost, uncharged, detail, seq, spent } = drawn;
  const own = { kind: 'charge', rank: '2', request, cost, uncharged, detail: JSON.stringify(detail) };
  return { ...fields, ...own, seq: String(seq), spent: String(spent) };
}

function readFields(text: string): Fields | undefined {
  const value = readJson(text);
  if (typeof value !== 'object' || value === null) return undefined;
  return hasOnlyTexts(value)
    ? value
    : Object.fromEntries(Object.entries(value).filter(([, member]) => typeof member === 'string'));
}

function hasOnlyTexts(value: object): value is Fields {
  for (const name in value) if (typeof value[name as keyof object] !== 'string') return false;
  return true;
}

const wholeNumber = /^\d{1,18}$/;

/**
 * The charges of a draw. `seq` and `spent` are the wallet's after the last of them, and so are counted back for the others.
 * Undefined if the entry cannot be read.
 */
function readDrawn({ seq = '', spent = '' }: Fields, charges: string): DrawnCharge[] | undefined {
  if (!wholeNumber.test(seq) || !wholeNumber.test(spent)) return undefined;
  const packed = readJson(charges);
  if (!Array.isArray(packed) || !packed.every(isPackedCharge)) return undefined;
  const drawn: DrawnCharge[] = [];
  let [number, sum] = [Number(seq), BigInt(spent)];
  for (const [request, cost, uncharged, detail] of packed.toReversed()) {
    drawn.push({ request, cost, uncharged, detail, seq: number, spent: sum });
    number -= 1;
    sum -= BigInt(cost);
  }
  return drawn.reverse();
}

type PackedCharge = [request: string, cost: string, uncharged: string, detail: unknown];

function isPackedCharge(value: unknown): value is PackedCharge {
  if (!Array.isArray(value)) return false;
  const [request, cost, uncharged] = value;
  return (
    value.length >= 4 &&
    typeof request === 'string' &&
    typeof uncharged === 'string' &&
    typeof cost === 'string' &&
    wholeNumber.test(cost)
  );
}
