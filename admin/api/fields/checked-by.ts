/**
 * Schemas of request bodies that express in OpenAPI 3.0 what TypeBox can only express with a union: a value that may be
 * null, or a number that may be a string.
 */
import { Kind, type Static, type TSchema, Type, TypeRegistry } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';

const kind = 'CheckedBy';
const predicate = Symbol('predicate');

interface Checked {
  readonly [predicate]: (value: unknown) => boolean;
}

/** `description` is for the reference, `expected` for the error message, as in every schema of a request. */
interface Documentation {
  readonly description: string;
  readonly expected: string;
  readonly [keyword: string]: unknown;
}

TypeRegistry.Set<Checked>(kind, (schema, value) => schema[predicate](value));

/** Documented as given, accepted by the predicate. */
export const checkedBy = <Value>(documentation: Documentation, accepts: (value: unknown) => boolean) =>
  Type.Unsafe<Value>({ ...documentation, [Kind]: kind, [predicate]: accepts });

/** The counterpart of the response schemas' `nullable`, for requests. The description says what null means. */
export function nullableInput<Schema extends TSchema>(schema: Schema) {
  const { description, expected } = schema;
  if (description === undefined || expected === undefined) throw new Error('a field of a request without its texts');
  const check = TypeCompiler.Compile(schema);
  return checkedBy<Static<Schema> | null>(
    { ...schema, nullable: true, description, expected: `${expected}, or null` },
    (value) => value === null || check.Check(value),
  );
}
