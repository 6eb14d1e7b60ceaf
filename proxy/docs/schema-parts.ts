/** What the schemas of answers are made of. Answers may always carry members that are not named here. */
import { type TSchema, Type } from '@sinclair/typebox';

/** Another component of the document. */
export const ref = (name: string) => Type.Unsafe<unknown>({ $ref: `#/components/schemas/${name}` });

export const text = (description: string, example?: string) =>
  Type.String({ description, ...(example !== undefined && { examples: [example] }) });
export const count = (description: string) => Type.Integer({ minimum: 0, description });
export const usd = (description: string) => Type.Number({ minimum: 0, description });
export const unixTime = Type.Integer({ description: 'Seconds since 1970.' });
export const anything = (description: string) => Type.Unknown({ description });

export const orNull = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description });

export const words = (names: readonly string[], description: string) =>
  Type.Union(
    names.map((name) => Type.Literal(name)),
    { description },
  );
