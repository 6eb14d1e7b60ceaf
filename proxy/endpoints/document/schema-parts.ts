/** What the schemas of answers are made of. Answers may always carry members that are not named here. */
import { type TSchema, Type } from '@sinclair/typebox';

/** Another component of the document. */
export const ref = (name: string) => Type.Unsafe<unknown>({ $ref: `#/components/schemas/${name}` });

export const text = (description: string, example?: string) =>
  Type.String({ description, ...(example !== undefined && { examples: [example] }) });
export const count = (description: string) => Type.Integer({ minimum: 0, description });
export const usd = (description: string) => Type.Number({ minimum: 0, description });
export const unixTime = Type.Integer({ description: 'When the answer was made, in seconds since 1970 (Unix time).' });
export const anything = (description: string) => Type.Unknown({ description });

/** The one value that tells an object from others. `meaning` completes "`value`: …". */
export const tag = (value: string, meaning: string) => Type.Literal(value, { description: `\`${value}\`: ${meaning}` });

/** A value that is the same everywhere, for clients that look at it. */
export const always = (value: string) => Type.Literal(value, { description: `Always \`${value}\` here.` });

export const orNull = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description });

export const words = (names: readonly string[], description: string) =>
  Type.Union(
    names.map((name) => Type.Literal(name)),
    { description },
  );
