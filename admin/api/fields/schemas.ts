/**
 * The pieces that several endpoints' schemas are made of. Descriptions are what a caller reads when a value is wrong.
 *
 * Schemas are TypeBox's own: the numbers of Elysia's `t` accept text and leave their range to a later step.
 */

import { type Static, type TSchema, Type } from '@sinclair/typebox';

/** No control characters: Postgres refuses some, and a name has no use for any. */
const noControlCharacters = '^[^\\u0000-\\u001f\\u007f]*$';

/** A closed object: an unknown field is refused and named, so that assigning `role` or `accountId` has no effect. */
export const closedObject: typeof Type.Object = (properties, options) =>
  Type.Object(properties, { ...options, additionalProperties: false });

/** OpenAPI 3.0 has no null type, only a flag. */
export const nullable = <Schema extends TSchema>(schema: Schema) =>
  Type.Unsafe<Static<Schema> | null>({ ...schema, nullable: true });

/** One of several words. OpenAPI 3.0 has no constants, so it is no union of literals. */
export const oneOf = <const Words extends readonly string[]>(words: Words, description: string) =>
  Type.Unsafe<Words[number]>(
    Type.String({ enum: [...words], pattern: `^(?:${words.join('|').replaceAll('.', '\\.')})$`, description }),
  );

export const label = (maxLength: number) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: noControlCharacters,
    description: `a text of 1 to ${maxLength} characters`,
  });

export const timestamp = Type.String({ format: 'date-time' });

export const keyIdParams = Type.Object({
  id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'the id of a key' }),
});

const idempotencyKey = Type.String({
  maxLength: 255,
  description: 'Any text of your own. For 24 hours the same request with the same key is answered as it was at first.',
});

export const idempotencyHeaders = Type.Object({ 'Idempotency-Key': Type.Optional(idempotencyKey) });
export const requiredIdempotencyHeaders = Type.Object({ 'Idempotency-Key': idempotencyKey });
