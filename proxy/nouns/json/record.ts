/** Reading JSON of unknown shape, member by member. */
import { isObject } from '../../../shared/members.ts';

export type JsonRecord = Readonly<Record<string, unknown>>;

/** An empty object if the value is not an object. */
export function asRecord(value: unknown): JsonRecord {
  return isObject(value) ? value : {};
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
