/** Which chat completions need no changes: exactly those that fit this schema. */
import { expect, test } from 'bun:test';
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import fc from 'fast-check';
import { isPlainCompletion } from '../../../../../proxy/providers/openai/response/plain-completion.ts';
import { inCampaign } from '../../../../harness/campaigns.ts';

const closed = { additionalProperties: false };
const oneOf = (values: readonly string[]) => Type.Union(values.map((value) => Type.Literal(value)));
const schema = TypeCompiler.Compile(
  Type.Object(
    {
      id: Type.String({ minLength: 1 }),
      object: Type.Literal('chat.completion'),
      created: Type.Integer({ minimum: 1 }),
      model: Type.String({ minLength: 1 }),
      choices: Type.Array(
        Type.Object(
          {
            index: Type.Integer({ minimum: 0 }),
            message: Type.Object(
              {
                role: Type.Literal('assistant'),
                content: Type.String(),
                refusal: Type.Union([Type.String(), Type.Null()]),
                annotations: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 0 })),
              },
              closed,
            ),
            logprobs: Type.Null(),
            finish_reason: oneOf(['stop', 'length', 'content_filter']),
          },
          closed,
        ),
        { minItems: 1 },
      ),
      usage: Type.Record(Type.String(), Type.Unknown()),
      system_fingerprint: Type.Optional(Type.String()),
      service_tier: Type.Optional(oneOf(['auto', 'default', 'flex', 'priority'])),
    },
    closed,
  ),
);

const plain = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_795_736_054,
  model: 'a-model',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Hi!', refusal: null, annotations: [] },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
  system_fingerprint: 'fp',
  service_tier: 'default',
};

/** Every object and list in it. */
function placesOf(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value as Record<string, unknown>, ...Object.values(value).flatMap(placesOf)];
}

const values = fc.oneof(
  fc.constantFrom<unknown>(
    ...[null, '', 'stop', 'length', 'tool_calls', 'auto', 'flex', 'scale', 'assistant', 'tool', 'chat.completion'],
    ...[0, 1, -1, 0.5, 1e300, true, [], {}, [1], { a: 1 }],
  ),
  fc.jsonValue(),
);
const changes = fc.array(
  fc.record({
    place: fc.nat(),
    member: fc.nat(),
    action: fc.constantFrom('set', 'remove', 'add', 'repeat'),
    name: fc.constantFrom('id', 'index', 'role', 'refusal', 'reasoning_content', 'tool_calls', 'provider', '__proto__'),
    value: values,
  }),
  { maxLength: 3 },
);

/** Also of the name `__proto__`, as JSON.parse makes it. */
const own = { enumerable: true, configurable: true, writable: true };

test('a completion is plain exactly if it fits the schema (campaign)', () => {
  expect(isPlainCompletion(plain)).toBe(true);
  let plainOnes = 0;
  fc.assert(
    fc.property(changes, (made) => {
      const completion: unknown = structuredClone(plain);
      for (const { place, member, action, name, value } of made) {
        const places = placesOf(completion);
        const changed = places[place % places.length] ?? {};
        const names = Object.keys(changed);
        const chosen = names[member % Math.max(1, names.length)];
        if (action === 'add' && !Array.isArray(changed))
          Object.defineProperty(changed, name, { ...own, value: structuredClone(value) });
        else if (action === 'repeat' && Array.isArray(changed)) changed.push(structuredClone(changed[0]));
        else if (action === 'remove' && chosen !== undefined && !Array.isArray(changed)) delete changed[chosen];
        else if (action === 'set' && chosen !== undefined) changed[chosen] = structuredClone(value);
      }
      const response: unknown = JSON.parse(JSON.stringify(completion));
      const isPlain = schema.Check(response);
      if (isPlain) plainOnes += 1;
      expect(isPlainCompletion(response)).toBe(isPlain);
    }),
    { numRuns: inCampaign(4_000, 20_000) },
  );
  expect(plainOnes).toBeGreaterThan(1_000);
  for (const other of [undefined, null, 'text', 1, [], [plain]]) expect(isPlainCompletion(other)).toBe(false);
});
