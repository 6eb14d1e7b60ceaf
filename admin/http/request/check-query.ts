/**
 * Checks query parameters, which are all text, against a schema: numbers are parsed first, then everything is checked.
 */
import type { Static, TObject } from '@sinclair/typebox';
import { checkValue } from '../../../shared/http/check-value.ts';
import { invalidParameter } from '../../../shared/http/parameter-errors.ts';
import { isStorable, storable } from './storable-text.ts';

export type TextValues = Readonly<Record<string, string | undefined>>;

const decimal = /^-?\d{1,15}(\.\d{1,15})?$/;

/** Parameters that the schema does not know are ignored. Throws GatewayError as `checkValue` does. */
export function checkQuery<Schema extends TObject>(schema: Schema, texts: TextValues): Static<Schema> {
  const values: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const text = texts[name];
    if (text === undefined) continue;
    if (!isStorable(text)) throw invalidParameter(name, storable);
    values[name] = readText(text, property.type);
  }
  return checkValue(schema, values);
}

/** Text that is no number stays text, and fails the check that follows. */
function readText(text: string, type: unknown): unknown {
  return (type === 'integer' || type === 'number') && decimal.test(text) ? Number(text) : text;
}
