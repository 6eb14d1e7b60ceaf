/** Calls of tools whose input is a text, in chat completions: any text arrives whole, however a model's arguments are divided. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readAnyChat } from '../../../../proxy/api/any-chat/read-any-chat.ts';
import { dialectOfChat } from '../../../../proxy/api/any-chat/text-tools-dialect.ts';
import type { ChatChunk, ChatCompletion, FinishReason } from '../../../../proxy/nouns/chat-completion.ts';
import { asArray, asRecord, type JsonRecord } from '../../../../proxy/nouns/json/record.ts';
import { noUsage } from '../../../../proxy/nouns/usage.ts';

const usage = { ...noUsage, promptTokens: 10, completionTokens: 2 };
/** More digits than a number of JavaScript has. */
const costUsd = '0.12345678901234567891';
const charge = { usage, costUsd };

const request = {
  model: 'test/chat',
  messages: [{ role: 'user', content: 'Hello?' }],
  stream: true,
  stream_options: { include_usage: true },
  tools: [{ type: 'custom', name: 'ApplyPatch' }],
};
const call = readAnyChat(request, JSON.stringify(request));

function openDialect() {
  const dialect = dialectOfChat(call);
  if (dialect === undefined) throw new Error('the call has a tool with a text');
  return dialect;
}

const chunkOf = (delta: object, finish: FinishReason | null = null): ChatChunk => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_790_000_000,
  model: 'test/chat',
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const callDelta = (index: number, called: object, more: object = {}) => ({
  tool_calls: [{ index, ...more, function: called }],
});

/** The arguments of each call, by its index. */
function argumentsIn(events: string): string[] {
  const read: string[] = [];
  for (const line of events.split('\n\n')) {
    if (!line.startsWith('data: {')) continue;
    for (const choice of asArray(asRecord(JSON.parse(line.slice('data: '.length))).choices)) {
      for (const each of asArray(asRecord(asRecord(choice).delta).tool_calls).map(asRecord)) {
        const index = Number(each.index);
        read[index] = (read[index] ?? '') + String(asRecord(each.function).arguments ?? '');
      }
    }
  }
  return read;
}

function divided(text: string, cuts: readonly number[]): string[] {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((one, other) => one - other);
  return [...places, text.length].map((place, at) => text.slice(at === 0 ? 0 : places[at - 1], place));
}

function streamed(pieces: readonly string[], name = 'ApplyPatch'): string {
  const stream = openDialect().openStream(call, 'request');
  const events = [
    chunkOf({ role: 'assistant', ...callDelta(0, { name, arguments: '' }, { id: 'call_1', type: 'function' }) }),
    ...pieces.map((piece) => chunkOf(callDelta(0, { arguments: piece }))),
    chunkOf({}, 'tool_calls'),
  ].map((chunk) => stream.push(chunk));
  return events.join('') + stream.close(charge);
}

const anyCuts = fc.array(fc.nat({ max: 400 }), { maxLength: 12 });

describe('a streamed call', () => {
  test('of a tool with a text has exactly that text as its arguments', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 120 }), anyCuts, fc.boolean(), (text, cuts, pretty) => {
        const written = JSON.stringify({ input: text }, undefined, pretty ? 2 : 0);
        expect(argumentsIn(streamed(divided(written, cuts)))).toEqual([text]);
      }),
      { numRuns: 500 },
    );
  });

  test('whose arguments a model wrote in another form than it was offered loses nothing', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), anyCuts, (text, cuts) => {
        const written = `*** Begin Patch ${text}`;
        expect(argumentsIn(streamed(divided(written, cuts)))).toEqual([written]);
      }),
      { numRuns: 200 },
    );
  });

  test('of a function beside them keeps its arguments as JSON', () => {
    const written = '{"input":"as it is"}';
    expect(argumentsIn(streamed(divided(written, [3, 9]), 'Read'))).toEqual([written]);
  });

  test('ends once, after everything that was missing, and then come the usage and [DONE]', () => {
    const events = streamed(['not JSON']).split('\n\n').filter(Boolean);
    const choices = events.slice(0, -2).map((event) => JSON.parse(event.slice('data: '.length)) as ChatChunk);
    expect(choices.map(({ choices: [choice] }) => choice?.finish_reason)).toEqual([
      null,
      null,
      null,
      null,
      'tool_calls',
    ]);
    expect(events.at(-2)).toBe(
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1790000000,"model":"test/chat","choices":[],' +
        `"usage":${usageText}}`,
    );
    expect(events.at(-1)).toBe('data: [DONE]');
  });

  test('that is cut short has what the model had written until then', () => {
    const stream = openDialect().openStream(call, 'request');
    const events = [
      stream.push(chunkOf(callDelta(0, { name: 'ApplyPatch', arguments: '{"input":"half' }, { id: 'call_1' }))),
      stream.push(chunkOf({}, 'length')),
    ];
    expect(argumentsIn(events.join(''))).toEqual(['half']);
  });
});

const usageText =
  '{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12,"prompt_tokens_details":{"cached_tokens":0,' +
  `"cache_write_tokens":0},"completion_tokens_details":{"reasoning_tokens":0},"cost":${costUsd}}`;

test('a whole completion has the text of such a call, and every digit of the cost', () => {
  const called = { name: 'ApplyPatch', arguments: '{"input":"+Hello"}' };
  const completion: ChatCompletion & JsonRecord = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'test/chat',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: null,
          refusal: null,
          tool_calls: [
            { id: 'call_1', type: 'function', function: called },
            { id: 'call_2', type: 'function', function: { name: 'Read', arguments: '{"input":"+Hello"}' } },
          ],
        },
        finish_reason: 'tool_calls',
        logprobs: null,
      },
    ],
    usage: { cost: 0.1 },
  };
  const text = openDialect().renderBody(completion, { call, charge, requestId: 'request' });
  expect(text).toEndWith(`"usage":${usageText}}`);
  expect(JSON.parse(text)).toMatchObject({
    choices: [
      {
        message: {
          tool_calls: [{ function: { arguments: '+Hello' } }, { function: { arguments: '{"input":"+Hello"}' } }],
        },
      },
    ],
  });
});
