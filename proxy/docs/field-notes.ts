/** What the fields of a request mean, put to the schemas that only say what is valid. */
import type { TObject } from '@sinclair/typebox';
import { asRecord } from '../json/record.ts';
import { plainSchema } from './plain-schema.ts';

/** Each field has a note, and no note is of a field that does not exist: the compiler sees to both. */
type NotesOf<Schema extends TObject> = Readonly<Record<keyof Schema['properties'] & string, string>>;

/** `shapes` take the place of what is read piece by piece, and so has no schema of its own. */
export function withNotes<Schema extends TObject>(
  schema: Schema,
  notes: NotesOf<Schema>,
  shapes: Readonly<Record<string, object>> = {},
): object {
  const plain = plainSchema(schema);
  const described = Object.entries<string>(notes).map(([name, description]) => {
    const shape = shapes[name];
    const property = shape === undefined ? asRecord(asRecord(plain.properties)[name]) : plainSchema(shape);
    return [name, { ...property, description }];
  });
  return { ...plain, properties: Object.fromEntries(described) };
}
