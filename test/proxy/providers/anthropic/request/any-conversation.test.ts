/** Any conversation becomes a request that Anthropic's rules allow, or a 400 that names the parameter at fault. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Block, Turn } from '../../../../../proxy/providers/anthropic/request/messages-request.ts';
import { GatewayError } from '../../../../../shared/errors.ts';
import { upstreamBody } from '../chat-call.ts';

const words = fc.constantFrom('', ' ', '\n', 'Hello', 'Go on ', 'ä👋');
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const part = fc.oneof(
  fc.record({ type: fc.constant('text'), text: words, cache_control: maybe(fc.constant({ type: 'ephemeral' })) }),
  fc.record({ type: fc.constant('image_url'), image_url: fc.constant({ url: 'data:image/png;base64,aGk=' }) }),
);
const content = fc.oneof(words, fc.array(part, { minLength: 1, maxLength: 3 }));
const call = fc.record({
  id: fc.constantFrom('call_1', 'functions.f:0'),
  type: fc.constant('function'),
  function: fc.record({
    name: fc.constantFrom('f', 'json'),
    arguments: fc.constantFrom('', '{}', '{"a":1}', '[', '5'),
  }),
});
const thought = fc.record({ type: fc.constant('thinking'), thinking: words, signature: maybe(words) });
const message = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'developer', 'user'), content }),
  fc.record({
    role: fc.constant('assistant'),
    content: fc.oneof({ weight: 4, arbitrary: words }, fc.constant(null)),
    tool_calls: maybe(fc.array(call, { maxLength: 2 })),
    thinking_blocks: maybe(fc.array(thought, { maxLength: 2 })),
    cache_control: maybe(fc.constant({ type: 'ephemeral' })),
  }),
  fc.record({ role: fc.constant('tool'), tool_call_id: fc.constantFrom('call_1', 'functions.f:0'), content }),
);
const request = fc.record({
  messages: fc.array(message, { minLength: 1, maxLength: 8 }),
  tools: maybe(fc.constant([{ type: 'function', function: { name: 'f' } }])),
  tool_choice: maybe(fc.constantFrom('auto', 'none', 'required')),
  reasoning_effort: maybe(fc.constantFrom('none', 'low', 'high')),
  temperature: maybe(fc.double({ min: 0, max: 2, noNaN: true })),
  top_p: maybe(fc.double({ min: 0, max: 1, noNaN: true })),
  top_k: maybe(fc.integer({ min: -1, max: 100 })),
  response_format: maybe(
    fc.constantFrom({ type: 'json_object' }, { type: 'json_schema', json_schema: { schema: { type: 'object' } } }),
  ),
});

interface Sent {
  readonly max_tokens: number;
  readonly messages: readonly Turn[];
  readonly system?: readonly Block[];
  readonly tools?: readonly unknown[];
  readonly tool_choice?: { readonly type: string };
  readonly thinking?: { readonly budget_tokens: number };
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
}

test('any conversation becomes one that Anthropic’s rules allow, or a 400', () => {
  let sent = 0;
  fc.assert(
    fc.property(request, fc.integer({ min: 1, max: 8192 }), (fields, outputCap) => {
      const body = attempt(() => upstreamBody(fields, { outputCap }));
      if (body === undefined) return;
      sent += 1;
      checkRules(body as unknown as Sent);
    }),
    { numRuns: 2_000, seed: 20_261_121 },
  );
  expect(sent).toBeGreaterThan(500);
});

function checkRules(body: Sent): void {
  const blocks = body.messages.flatMap((turn) => turn.content);
  expect(body.messages.map(({ role }) => role)).toEqual(
    body.messages.map((_, index) => (index % 2 === 0 ? 'user' : 'assistant')),
  );
  expect(body.messages.length).toBeGreaterThan(0);
  expect(body.messages.every((turn) => turn.content.length > 0)).toBe(true);
  for (const block of [...blocks, ...(body.system ?? [])]) {
    if (block.type === 'text') expect(block.text.trim()).not.toBe('');
    if (block.type === 'thinking') expect(block.signature).not.toBe('');
    if (block.type === 'tool_use') expect(block.id).toMatch(/^[A-Za-z0-9_-]+$/);
    if (block.type === 'thinking') expect('cache_control' in block).toBe(false);
  }
  const names = blocks.some((block) => block.type === 'tool_use');
  if (names || body.tool_choice !== undefined) expect(body.tools?.length ?? 0).toBeGreaterThan(0);
  if (body.thinking !== undefined) {
    expect(body.thinking.budget_tokens).toBeGreaterThanOrEqual(1024);
    expect(body.thinking.budget_tokens).toBeLessThan(body.max_tokens);
    expect([body.temperature, body.top_k]).toEqual([undefined, undefined]);
    expect(body.top_p ?? 1).toBeGreaterThanOrEqual(0.95);
    expect(['any', 'tool']).not.toContain(body.tool_choice?.type ?? 'auto');
  }
  expect(body.temperature ?? 0).toBeLessThanOrEqual(1);
  expect(body.top_k ?? 1).toBeGreaterThanOrEqual(1);
}

function attempt(build: () => Record<string, unknown>): Record<string, unknown> | undefined {
  try {
    return build();
  } catch (error) {
    if (error instanceof GatewayError && error.status === 400 && error.param !== null) return undefined;
    throw error;
  }
}
