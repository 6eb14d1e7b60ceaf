/** The pieces that several endpoints' schemas are made of. Descriptions are what a caller reads when a value is wrong. */
import type { Static, TSchema } from '@sinclair/typebox';
import { t } from 'elysia';

/** No control characters: Postgres refuses some, and a name has no use for any. */
const noControlCharacters = '^[^\\u0000-\\u001f\\u007f]*$';

/** A closed object: an unknown field is refused and named, so that assigning `role` or `accountId` has no effect. */
export const closedObject: typeof t.Object = (properties, options) =>
  t.Object(properties, { ...options, additionalProperties: false });

/** OpenAPI 3.0 has no null type, only a flag. */
export const nullable = <Schema extends TSchema>(schema: Schema) =>
  t.Unsafe<Static<Schema> | null>({ ...schema, nullable: true });

/** One of several words. Elysia's own `t.UnionEnum` would silently take the first one as default. */
export const oneOf = <const Words extends readonly string[]>(words: Words, description: string) =>
  t.Unsafe<Words[number]>(t.String({ enum: [...words], pattern: `^(?:${words.join('|')})$`, description }));

export const label = (maxLength: number) =>
  t.String({
    minLength: 1,
    maxLength,
    pattern: noControlCharacters,
    description: `a text of 1 to ${maxLength} characters`,
  });

export const timestamp = t.String({ format: 'date-time' });

export const keyIdParams = t.Object({
  id: t.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'the id of a key' }),
});
