/** Building blocks of response schemas. Responses may always have members that no schema names. */
import { type TSchema, Type } from '@sinclair/typebox';

/** Another component of the document. */
export const ref = <Value = unknown>(name: string) => Type.Unsafe<Value>({ $ref: `#/components/schemas/${name}` });

export const text = (description: string, example?: string) =>
  Type.String({ description, ...(example !== undefined && { examples: [example] }) });
export const count = (description: string) => Type.Integer({ minimum: 0, description });
export const usd = (description: string) => Type.Number({ minimum: 0, description });
export const unixTime = Type.Integer({ description: 'When the response was created, as a Unix time in seconds.' });
export const anything = (description: string) => Type.Unknown({ description });

/** The value that distinguishes an object from others. `meaning` completes "`value`: …". */
export const tag = <const Value extends string>(value: Value, meaning: string) =>
  Type.Literal(value, { description: `\`${value}\`: ${meaning}` });

/** A value that never changes, for clients that check it. */
export const always = <const Value extends string>(value: Value) =>
  Type.Literal(value, { description: `Always \`${value}\` here.` });

/** Several members of one kind. TypeScript does not infer computed names. */
export const members = <Name extends string, Schema extends TSchema>(
  names: readonly Name[],
  schemaOf: (name: Name) => Schema,
) => Object.fromEntries(names.map((name) => [name, schemaOf(name)])) as Record<Name, Schema>;

export const orNull = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description });

export const words = <const Name extends string>(names: readonly Name[], description: string) =>
  Type.Unsafe<Name>(
    Type.Union(
      names.map((name) => Type.Literal(name)),
      { description },
    ),
  );
