/**
 * Schemas of request bodies that say in OpenAPI 3.0 what TypeBox can only say with a union: a value that may be null,
 * or a number that may be written as a text.
 */
import { Kind, type Static, type TSchema, Type, TypeRegistry } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';

const kind = 'CheckedBy';
const predicate = Symbol('predicate');

interface Checked {
  readonly [predicate]: (value: unknown) => boolean;
}

TypeRegistry.Set<Checked>(kind, (schema, value) => schema[predicate](value));

/** Documented as it is told, accepted by the predicate. `description` is what a caller reads when a value is wrong. */
export const checkedBy = <Value>(
  documentation: { readonly description: string; readonly [keyword: string]: unknown },
  accepts: (value: unknown) => boolean,
) => Type.Unsafe<Value>({ ...documentation, [Kind]: kind, [predicate]: accepts });

/** What `nullable` of the answers' schemas says, for a request. */
export function nullableInput<Schema extends TSchema>(schema: Schema) {
  const check = TypeCompiler.Compile(schema);
  return checkedBy<Static<Schema> | null>(
    { ...schema, nullable: true, description: `${schema.description}, or null` },
    (value) => value === null || check.Check(value),
  );
}
