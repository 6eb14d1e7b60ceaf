/** The patch that makes one object of another, for a text that spells out the first. */
import type { JsonPatch } from './patch-object.ts';
import type { JsonRecord } from './record.ts';

/**
 * `after` names all members of `before`; those that are undefined are taken away. Undefined where both say the same, so
 * that the text can stay as it is.
 */
export function patchBetween(before: JsonRecord, after: JsonRecord): JsonPatch | undefined {
  const patch: Record<string, string | undefined> = {};
  let changed = false;
  for (const name of Object.keys(after)) {
    if (before[name] === after[name]) continue;
    const value = jsonOf(after[name]);
    if (value === jsonOf(before[name])) continue;
    patch[name] = value;
    changed = true;
  }
  return changed ? patch : undefined;
}

function jsonOf(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}
