/**
 * A chat completion that needs no changes, as nearly all are: only text, with no missing or additional members. One
 * compiled check recognizes it, and then its parts need not be normalized.
 */
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';

const closed = { additionalProperties: false };
const text = Type.String({ minLength: 1 });
const textOrNull = Type.Union([Type.String(), Type.Null()]);

/** Citations are checked one by one; models that cannot search have none. */
const noAnnotations = Type.Optional(Type.Array(Type.Unknown(), { maxItems: 0 }));

const plainCompletion = Type.Object(
  {
    id: text,
    object: Type.Literal('chat.completion'),
    created: Type.Integer({ minimum: 1 }),
    model: text,
    choices: Type.Array(
      Type.Object(
        {
          index: Type.Integer({ minimum: 0 }),
          message: Type.Object(
            {
              role: Type.Literal('assistant'),
              content: Type.String(),
              refusal: textOrNull,
              annotations: noAnnotations,
            },
            closed,
          ),
          logprobs: Type.Null(),
          finish_reason: Type.Union(['stop', 'length', 'content_filter'].map((reason) => Type.Literal(reason))),
        },
        closed,
      ),
      { minItems: 1 },
    ),
    usage: Type.Record(Type.String(), Type.Unknown()),
    system_fingerprint: Type.Optional(Type.String()),
    service_tier: Type.Optional(Type.Union(['auto', 'default', 'flex', 'priority'].map((tier) => Type.Literal(tier)))),
  },
  closed,
);

const check = TypeCompiler.Compile(plainCompletion);

export type PlainCompletion = Static<typeof plainCompletion>;

export function isPlainCompletion(response: unknown): response is PlainCompletion {
  return check.Check(response);
}
