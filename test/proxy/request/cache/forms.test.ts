/**
 * A repetition gets what the provider would have given it in the form that it asks for, whichever form the stored response was
 * given in: whole or streamed, in each API format, read by the vendors' own clients.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import fc from 'fast-check';
import OpenAI from 'openai';
import { inCampaign } from '../../../harness/campaigns.ts';
import type { Customer } from '../../../harness/customers.ts';
import { type Gateway, startGateway } from '../../../harness/gateway.ts';
import { chunkOf, completionOf, usageChunk } from '../../../harness/providers/chunks.ts';
import { chunksResponse } from '../../../harness/providers/completions.ts';
import { catalogueOfEachKind } from '../../../harness/providers/each-kind.ts';
import { rawResponse } from '../../../harness/providers/scripted-provider.ts';
import { responses } from '../../providers/openai-responses/provider-events.ts';
import { nextWrite } from './next-write.ts';

const usage = { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 };

let gateway: Gateway;
let customer: Customer;
let openai: OpenAI;
let anthropic: Anthropic;
beforeAll(async () => {
  gateway = await startGateway({
    catalogue: (baseUrl) =>
      `${catalogueOfEachKind(baseUrl)}
  - { id: test/native, kind: chat, ownedBy: test, contextTokens: 100000, maxOutputTokens: 1000,
      price: { prompt: "1", completion: "2" }, deployments: [{ provider: native, model: upstream-native }] }
`.replace('models:', `  - { id: native, protocol: openai-responses, baseUrl: "${baseUrl}" }\nmodels:`),
    proxyEnvironment: { RATE_LIMIT_REQUESTS_PER_MINUTE: '10000000' },
  });
  customer = await gateway.harness.createCustomer({ usd: '100' });
  const common = { apiKey: customer.proxyKey, maxRetries: 0 };
  openai = new OpenAI({ ...common, baseURL: `${gateway.proxy.url}/v1` });
  anthropic = new Anthropic({ ...common, baseURL: gateway.proxy.url });
});
afterAll(() => gateway.stop());

const read = { headers: { 'x-cache': 'read' } };
const off = { headers: { 'x-cache': 'off' } };

interface Said {
  readonly content: string | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly { readonly name: string; readonly arguments: string }[];
}

const words = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).filter((text) => text.isWellFormed());
const said: fc.Arbitrary<Said> = fc
  .record(
    {
      content: fc.option(words),
      reasoning_content: words,
      tool_calls: fc.array(
        fc.record({
          name: fc.constantFrom('look', 'run'),
          arguments: fc.dictionary(words, words).map((value) => JSON.stringify(value)),
        }),
        { minLength: 1, maxLength: 3 },
      ),
    },
    { requiredKeys: ['content'] },
  )
  .filter(({ content, tool_calls: calls }) => content !== null || calls !== undefined);

const callOf = ({ name, arguments: text }: { name: string; arguments: string }, index: number) =>
  ({ id: `call_${index}`, type: 'function', function: { name, arguments: text } }) as const;

/** In pieces of random lengths. */
function piecesOf(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = [];
  const characters = [...text];
  for (let at = 0, turn = 0; at < characters.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1;
    pieces.push(characters.slice(at, at + length).join(''));
    at += length;
  }
  return pieces;
}

function answersWith({ content, reasoning_content, tool_calls: calls = [] }: Said, lengths: readonly number[]): void {
  const finish = calls.length > 0 ? 'tool_calls' : 'stop';
  const message = {
    content,
    refusal: null,
    ...(reasoning_content !== undefined && { reasoning_content }),
    ...(calls.length > 0 && { tool_calls: calls.map(callOf) }),
  };
  const deltas = [
    ...piecesOf(reasoning_content ?? '', lengths).map((text) => ({ reasoning_content: text })),
    ...piecesOf(content ?? '', lengths).map((text) => ({ content: text })),
    ...calls.flatMap((call, index) => {
      const { function: called, ...rest } = callOf(call, index);
      return [
        { tool_calls: [{ index, ...rest, function: { name: called.name, arguments: '' } }] },
        ...piecesOf(called.arguments, lengths).map((text) => ({
          tool_calls: [{ index, function: { arguments: text } }],
        })),
      ];
    }),
  ];
  const whole = rawResponse(JSON.stringify({ ...completionOf(message, finish), usage }));
  const opening = chunkOf({ role: 'assistant', content: content === null ? null : '' });
  const stream = chunksResponse([
    opening,
    ...deltas.map((delta) => chunkOf(delta)),
    chunkOf({}, finish),
    usageChunk(usage),
  ]);
  gateway.provider.on('upstream-chat', (truth, request) => (truth.body.stream ? stream : whole)(truth, request));
}

/** How one format is asked, whole and streamed, and what a client makes of the answers. */
interface Format {
  whole(prompt: string, how: typeof read): Promise<unknown>;
  streamed(prompt: string, how: typeof read): Promise<unknown>;
}

const chat = (prompt: string) => ({ model: 'test/chat', messages: [{ role: 'user' as const, content: prompt }] });
const formats: Readonly<Record<string, Format>> = {
  'chat completions': {
    whole: (prompt, how) => openai.chat.completions.create(chat(prompt), how),
    streamed: async (prompt, how) => {
      const stream = openai.chat.completions.stream({ ...chat(prompt), stream_options: { include_usage: true } }, how);
      let reasoning = '';
      stream.on('chunk', ({ choices: [choice] }) => {
        reasoning += (choice?.delta as { reasoning_content?: string } | undefined)?.reasoning_content ?? '';
      });
      const { choices, ...rest } = await stream.finalChatCompletion();
      // OpenAI's client has only the last part of what it does not know.
      const message = { ...choices[0]?.message, ...(reasoning !== '' && { reasoning_content: reasoning }) };
      return { ...rest, choices: [{ ...choices[0], message }] };
    },
  },
  responses: {
    whole: (input, how) => openai.responses.create({ model: 'test/chat', input }, how),
    streamed: (input, how) => openai.responses.stream({ model: 'test/chat', input }, how).finalResponse(),
  },
  messages: {
    whole: (prompt, how) => anthropic.messages.create({ ...chat(prompt), max_tokens: 100 }, how),
    streamed: (prompt, how) => anthropic.messages.stream({ ...chat(prompt), max_tokens: 100 }, how).finalMessage(),
  },
  'native responses': {
    whole: (input, how) => openai.responses.create({ model: 'test/native', input }, how),
    streamed: (input, how) => openai.responses.stream({ model: 'test/native', input }, how).finalResponse(),
  },
};

/** Ids are new each time where the gateway makes them, and nothing costs anything. */
function comparable(answer: unknown): unknown {
  const text = JSON.stringify(answer, (name, value: unknown) =>
    [
      'id',
      'created_at',
      'completed_at',
      '_request_id',
      'cost',
      'item_id',
      'parsed',
      'parsed_arguments',
      'output_parsed',
      'object',
    ].includes(name)
      ? undefined
      : value,
  );
  return JSON.parse(text);
}

const costOf = (answer: unknown) => (answer as { usage: { cost?: number } }).usage.cost;

describe.each(Object.entries(formats))('in the format of %s', (name, format) => {
  test.each([
    ['whole', 'whole'],
    ['whole', 'streamed'],
    ['streamed', 'whole'],
    ['streamed', 'streamed'],
  ] as const)(
    'a response that was given %s is repeated %s as the provider would have (campaign)',
    async (first, second) => {
      gateway.provider.on('upstream-native', responses);
      const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(said, lengths, async (message, pieces) => {
          const prompt = crypto.randomUUID();
          answersWith(message, pieces);
          const expected = await format[second](prompt, off);
          const before = gateway.provider.requests.length;
          const isWritten = await nextWrite(gateway.proxy);
          expect(costOf(await format[first](prompt, read))).not.toBe(0);
          await isWritten();
          const repeated = await format[second](prompt, read);
          expect(gateway.provider.requests.length).toBe(before + 1);
          // Anthropic's client does not show the cost of a stream.
          expect(costOf(repeated) ?? 0).toBe(0);
          expect(comparable(repeated)).toEqual(comparable(expected) as object);
        }),
        { numRuns: name === 'native responses' ? 1 : inCampaign(5, 25, 20) },
      );
    },
  );
});
