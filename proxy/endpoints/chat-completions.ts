/**
 * POST /v1/chat/completions: its parameters and their rules (interface §4.1). Fields that are not named here are
 * passed on as they came.
 */
import { type Static, Type } from '@sinclair/typebox';
import { checkValue } from '../../shared/http/check-value.ts';
import { parseJsonObject } from '../../shared/http/parse-json-object.ts';
import type { Call } from '../request/call.ts';

const optional = <Schema extends Parameters<typeof Type.Optional>[0]>(schema: Schema) =>
  Type.Optional(
    Type.Union([schema, Type.Null()], schema.description === undefined ? {} : { description: schema.description }),
  );

const outputCap = Type.Integer({ minimum: 1, description: 'an integer of at least 1' });
const penalty = Type.Number({ minimum: -2, maximum: 2, description: 'a number from -2 to 2' });

const contentPart = Type.Object(
  { type: Type.String({ description: 'a string' }), text: Type.Optional(Type.String({ description: 'a string' })) },
  { description: 'a content part with a type' },
);

const message = Type.Object(
  {
    role: Type.Union(
      ['system', 'developer', 'user', 'assistant', 'tool', 'function'].map((role) => Type.Literal(role)),
      { description: 'one of system, developer, user, assistant, tool' },
    ),
    content: Type.Optional(
      Type.Union([Type.String(), Type.Null(), Type.Array(contentPart)], {
        description: 'a string or an array of content parts',
      }),
    ),
  },
  { description: 'a message object' },
);

const schema = Type.Object({
  model: Type.String({ minLength: 1, description: 'the id of a model' }),
  messages: Type.Array(message, { minItems: 1, description: 'an array of at least one message' }),
  temperature: optional(Type.Number({ minimum: 0, maximum: 2, description: 'a number from 0 to 2' })),
  max_tokens: optional(outputCap),
  max_completion_tokens: optional(outputCap),
  stream: optional(Type.Boolean({ description: 'a boolean' })),
  stream_options: optional(
    Type.Object({ include_usage: optional(Type.Boolean({ description: 'a boolean' })) }, { description: 'an object' }),
  ),
  top_p: optional(Type.Number({ minimum: 0, maximum: 1, description: 'a number from 0 to 1' })),
  frequency_penalty: optional(penalty),
  presence_penalty: optional(penalty),
  stop: optional(
    Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 4 })], {
      description: 'a string or an array of up to 4 strings',
    }),
  ),
  n: optional(Type.Integer({ minimum: 1, maximum: 128, description: 'an integer from 1 to 128' })),
  tools: optional(Type.Array(Type.Object({}), { description: 'an array of tools' })),
});

/** Throws GatewayError `invalid_json`, `missing_parameter` or `invalid_parameter`. */
export function parseChatCompletion(text: string): Call {
  const value = checkValue(schema, parseJsonObject(text));
  return {
    model: value.model,
    stream: value.stream ?? false,
    includeUsage: value.stream_options?.include_usage ?? false,
    choices: value.n ?? 1,
    outputCap: lowerOf(value.max_completion_tokens, value.max_tokens),
    text,
    bytes: Buffer.byteLength(text),
    ...readPrompt(value.messages),
  };
}

function lowerOf(one: number | null | undefined, other: number | null | undefined): number | undefined {
  const caps = [one, other].filter((cap) => typeof cap === 'number');
  return caps.length === 0 ? undefined : Math.min(...caps);
}

function readPrompt(messages: Static<typeof schema>['messages']): Pick<Call, 'promptTexts' | 'mediaParts'> {
  const promptTexts: string[] = [];
  let mediaParts = 0;
  for (const { content } of messages) {
    if (!Array.isArray(content)) {
      promptTexts.push(content ?? '');
      continue;
    }
    for (const part of content) {
      if (part.type === 'text') promptTexts.push(part.text ?? '');
      else mediaParts += 1;
    }
  }
  return { promptTexts, mediaParts };
}
