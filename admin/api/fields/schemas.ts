/**
 * Schema parts that several endpoints share. A field has two texts: `description` tells a reader of the API
 * reference what its value means, `expected` completes the error message for an invalid value
 * (shared/http/check-value.ts) and is not in the reference. A field of a response is never invalid, so it has only the
 * first text. The example of a body or a response is composed of the fields' own (shared/openapi/example-of.ts).
 *
 * Schemas are TypeBox's own: the numbers of Elysia's `t` accept strings and check their range in a later step.
 */
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { customer } from './example-values.ts';

/** No control characters: Postgres refuses some, and a name needs none. */
const noControlCharacters = '^[^\\u0000-\\u001f\\u007f]*$';
const emailMaxLength = 320;
const choicesSpelledOut = 3;

/** A closed object: an unknown field is refused and named, so that assigning `role` or `accountId` has no effect. */
export const closedObject: typeof Type.Object = (properties, options) =>
  Type.Object(properties, { ...options, additionalProperties: false });

/** OpenAPI 3.0 has no null type, only a flag; where words are listed, null is one of them. */
export const nullable = <Schema extends TSchema>(schema: Schema) =>
  Type.Unsafe<Static<Schema> | null>({
    ...schema,
    nullable: true,
    ...(Array.isArray(schema.enum) && { enum: [...schema.enum, null] }),
  });

/** One of several words. OpenAPI 3.0 has no constants, so it is not a union of literals. */
export const oneOf = <const Words extends readonly string[]>(
  words: Words,
  description: string,
  example?: Words[number],
) =>
  Type.Unsafe<Words[number]>(
    Type.String({
      enum: [...words],
      pattern: `^(?:${words.join('|').replaceAll('.', '\\.')})$`,
      description,
      expected: choiceOf(words),
      example,
    }),
  );

export const label = (maxLength: number, description: string, example?: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: noControlCharacters,
    description,
    expected: `a string of 1 to ${maxLength} characters`,
    example,
  });

export const emailAddress = (description: string, example: string = customer.email) =>
  Type.String({ maxLength: emailMaxLength, description, expected: 'an e-mail address', example });

/** The id of a row in a request; `what` is for the error message: `a key`. */
export const idOf = (what: string, description: string, example?: number) =>
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description, expected: `the id of ${what}`, example });

/** The length of a page of a list. */
export const pageLimit = (max: number, description: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: max,
      default: max,
      description,
      expected: `a whole number from 1 to ${max}`,
    }),
  );

export const pageCursor = Type.Optional(
  Type.String({
    maxLength: 200,
    description: 'The `nextCursor` of the previous page. Without it, the first page is returned.',
    expected: 'the `nextCursor` of the previous page',
  }),
);

/** Postgres reads everything that is skipped. */
const offsetMax = 100_000;

/** Of a list whose pages have cursors too. */
export const pageOffset = (description: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: offsetMax,
      default: 0,
      description: `${description} To reach further back, use \`cursor\`.`,
      expected: `a whole number from 0 to ${offsetMax}; to reach further back, use \`cursor\``,
    }),
  );

// Response fields.
export const text = (description: string, example?: string) => Type.String({ description, example });
export const nextCursor = nullable(text('What to send as `cursor` for the next page; null on the last page.'));
export const flag = (description: string, example?: boolean) => Type.Boolean({ description, example });
export const integer = (description: string, example?: number) => Type.Integer({ description, example });
export const count = (description: string, example?: number) => Type.Integer({ minimum: 0, description, example });
export const timestamp = (description: string, example?: string) =>
  Type.String({ format: 'date-time', description, example });
export const day = (description: string, example?: string) => Type.String({ format: 'date', description, example });

export const keyIdParams = Type.Object({ id: idOf('a key', 'The id of the key, as the list of keys shows it.') });

const idempotencyKey = (whereWithout: string) =>
  Type.String({
    maxLength: 255,
    description:
      'A value of your own that identifies the request: 1 to 255 printable ASCII characters without spaces, such as a ' +
      'UUID. For 24 hours, repeating the request with the same key and body returns the first response and does ' +
      `nothing else; the same key with a different body is refused. ${whereWithout}`,
  });

export const idempotencyHeaders = Type.Object({
  'Idempotency-Key': Type.Optional(idempotencyKey('Without it, each request is carried out.')),
});
export const requiredIdempotencyHeaders = Type.Object({
  'Idempotency-Key': idempotencyKey('Even after that, a payment or refund is never booked twice with one key.'),
});

/** `queued, sent or failed`; a longer list is `one of a, b, c, d`. */
function choiceOf(words: readonly string[]): string {
  if (words.length > choicesSpelledOut) return `one of ${words.join(', ')}`;
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}
