/** Reading JSON of unknown shape, member by member. */
import { isObject } from '../../../shared/members.ts';

export type JsonRecord = Readonly<Record<string, unknown>>;

/** An empty object if the value is not an object. */
export function asRecord(value: unknown): JsonRecord {
  return isObject(value) ? value : {};
}

/** Nearly all objects have the members that are known, and no others. */
export function hasOnly(record: object, known: ReadonlySet<string>): boolean {
  for (const name in record) if (!known.has(name)) return false;
  return true;
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Undefined if the value is not a string, or empty. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Undefined if the value cannot be an index. */
export function asIndex(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;
}
