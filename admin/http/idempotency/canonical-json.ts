/** Canonical JSON: without whitespace, the fields of every object sorted. */
import { isObject } from '../../../shared/is-object.ts';

export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (isObject(part) ? inOrder(part) : part));
}

/** Without a prototype, so that `__proto__` is an ordinary field. */
function inOrder(object: object): object {
  const sorted: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1))) sorted[name] = value;
  return sorted;
}
