/** What an action changed, field by field, of the recorded states before and after it. */
import type { AuditEntry } from './queries.ts';

export interface Change {
  readonly field: string;
  /** Undefined if there was nothing. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export function changesOf({ before, after }: Pick<AuditEntry, 'before' | 'after'>): Change[] {
  const earlier = new Map(Object.entries(before ?? {}));
  const later = new Map(Object.entries(after ?? {}));
  const fields = new Set([...earlier.keys(), ...later.keys()]);
  return [...fields]
    .map((field) => ({ field, before: written(earlier.get(field)), after: written(later.get(field)) }))
    .filter((change) => change.before !== change.after);
}

function written(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
