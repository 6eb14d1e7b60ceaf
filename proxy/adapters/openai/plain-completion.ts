/**
 * A chat completion that is in the published form already, as nearly all are: text alone, nothing missing, nothing
 * beyond. It is recognised by one compiled check, and then no part of it has to be looked at for mending.
 */
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';

const closed = { additionalProperties: false };
const text = Type.String({ minLength: 1 });
const textOrNull = Type.Union([Type.String(), Type.Null()]);

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
          message: Type.Object({ role: Type.Literal('assistant'), content: textOrNull, refusal: textOrNull }, closed),
          logprobs: Type.Null(),
          finish_reason: Type.Union(['stop', 'length', 'content_filter'].map((reason) => Type.Literal(reason))),
        },
        closed,
      ),
      { minItems: 1 },
    ),
    usage: Type.Record(Type.String(), Type.Unknown()),
    system_fingerprint: Type.Optional(Type.String()),
  },
  closed,
);

const check = TypeCompiler.Compile(plainCompletion);

export function isPlainCompletion(answer: unknown): answer is Static<typeof plainCompletion> {
  return check.Check(answer);
}
