/** The patch that turns the text of one object into that of another. */
import type { JsonPatch } from './patch-object.ts';
import type { JsonRecord } from './record.ts';

/**
 * `after` must have all members of `before`; undefined ones are removed. Returns undefined if the objects are equal, so
 * that the text can be kept.
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
