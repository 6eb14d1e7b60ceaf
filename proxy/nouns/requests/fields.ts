/**
 * Fields of request bodies. Each has two texts: `description` is for the API reference; `expected` completes the error
 * message about an invalid value (shared/http/check-value.ts) and does not appear in the reference.
 */
import { type TSchema, Type } from '@sinclair/typebox';

/** A member that may be missing or null, like every optional parameter of the API. */
export const optional = <Schema extends TSchema>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()], textsOf(schema)));

function textsOf({ description, expected }: TSchema) {
  return { ...(description !== undefined && { description }), ...(expected !== undefined && { expected }) };
}

interface Range {
  readonly minimum: number;
  readonly maximum?: number;
}

export const string = (description: string) => Type.String({ description, expected: 'a string' });

export const modelId = (description: string) =>
  Type.String({ minLength: 1, description, expected: 'the id of a model' });

export const boolean = (description: string) => Type.Boolean({ description, expected: 'a boolean' });

export const integer = (range: Range, description: string) =>
  Type.Integer({ ...range, description, expected: `an integer ${inWords(range)}` });

export const number = (range: Range, description: string) =>
  Type.Number({ ...range, description, expected: `a number ${inWords(range)}` });

/** An object with any members. */
export const object = (description: string) =>
  Type.Record(Type.String(), Type.Unknown(), { description, expected: 'an object' });

export const oneOf = <const Value extends string>(values: readonly Value[], description: string) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    { description, expected: `one of ${values.join(', ')}` },
  );

/** Anthropic's mark of a prompt prefix to cache. `place` is what the prefix ends with. */
export const cacheControl = (place: string) =>
  optional(
    object(
      `\`{"type": "ephemeral"}\` lets Anthropic cache the prompt up to the end of ${place} for five minutes. Later requests ` +
        'that start with the same prompt pay the cached price for it. Other providers ignore it. `ttl: "1h"` lets it cache for an ' +
        'hour, where the model has a price for it (`cache_write_1h`).',
    ),
  );

/** At which tier the provider serves a request of chat completions or responses. */
export const serviceTier = optional(
  string(
    'How the provider prioritises the request: `flex` is cheaper and slower, `priority` faster, where the model has a price ' +
      'for it (`pricing.rates` of `GET /v1/models`). You pay for the tier at which it was served, which may be the usual one. ' +
      '`auto` and `default` are the usual tier.',
  ),
);

function inWords({ minimum, maximum }: Range): string {
  return maximum === undefined ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
}

/** How long lists in a body may be: far longer than any client sends, and short enough to iterate over instantly. */
export const listLimits = {
  /** Also for items of a Responses input. */
  messages: 10_000,
  /** Per message. */
  contentParts: 4_096,
  /** Per message; also for thinking blocks. */
  toolCalls: 1_024,
  tools: 1_024,
  /** For every list of names. */
  names: 1_024,
} as const;
