/**
 * The fields of a form as the members of a body. All of them are text: what stands for a number, a boolean or JSON becomes it, and
 * anything else stays text, for the schema to refuse.
 */
import type { Form, FormLimits } from '../../../shared/http/intake/form.ts';
import { readJson } from '../../../shared/read-json.ts';
import type { JsonRecord } from '../json/record.ts';

export type FieldKind = 'number' | 'boolean' | 'json' | 'list';

/** What an endpoint takes as a form. */
export interface FormFormat extends FormLimits {
  /** Of fields that are no text. */
  readonly fieldKinds: Readonly<Record<string, FieldKind>>;
}

/** A list is repeated, with or without `[]` behind its name. */
export function valueOfForm({ fields }: Form, { fieldKinds: kinds }: Pick<FormFormat, 'fieldKinds'>): JsonRecord {
  const value = new Map<string, unknown>();
  for (const [written, text] of fields) {
    const name = written.endsWith('[]') ? written.slice(0, -2) : written;
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind !== 'list') value.set(name, readField(text, kind));
    else value.set(name, [...((value.get(name) ?? []) as unknown[]), text]);
  }
  return Object.fromEntries(value);
}

function readField(text: string, kind: FieldKind | undefined): unknown {
  if (kind === 'number') return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return kind === 'json' ? (readJson(text) ?? text) : text;
}
