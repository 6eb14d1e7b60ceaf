/** What every client can do with the gateway. Each scenario is a row of the matrix. */
import { expect } from 'bun:test';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { spentAtRest } from '../../../harness/books.ts';
import { deltasResponse, messageResponse } from '../../../harness/providers/completions.ts';
import { durationOf, transcript, wavOf } from '../../../harness/providers/recordings.ts';
import { rawResponse, streamedResponse } from '../../../harness/providers/scripted-provider.ts';
import { said, searchedMessage, source } from '../../../harness/providers/web-search.ts';
import { at, Cannot, type Driver, type Embed, type Remark } from './driver.ts';
import { caught, heldStream } from './moments.ts';
import { pointSchema, resultOf } from './questions.ts';
import { streamedText, vectors, vectorsResponse, wholeText } from './scripted-responses.ts';
import type { Stage } from './stage.ts';

export interface Scenario {
  readonly title: string;
  /** Throws if the client is not served correctly. */
  play(stage: Stage, driver: Driver): Promise<Remark | undefined>;
}

const question = { model: 'test/chat', prompt: 'Hello?' };
/** The cost of the scripted responses: 11 × 0.60 + 7 × 1.80 USD per million tokens. */
const costUsd = 0.0000192;
const costNano = 19_200n;

const weather = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Perm"}' } };
const clock = { id: 'call_2', type: 'function', function: { name: 'clock', arguments: '' } };

/** The first call in chunks; the second one together with one of those chunks, and without arguments. */
const toolDeltas = [
  { tool_calls: [{ index: 0, ...weather, function: { name: 'weather', arguments: '' } }] },
  { tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] },
  {
    tool_calls: [
      { index: 0, function: { arguments: '"Perm"}' } },
      { index: 1, ...clock },
    ],
  },
];

export const scenarios: readonly Scenario[] = [
  {
    title: 'Chat',
    play: async (stage, driver) => {
      const { customer, session } = await stage.enter();
      stage.provider.on('upstream-chat', messageResponse({ content: 'Hi.' }));
      expect((await driver.whole(session, question)).text).toBe('Hi.');
      expect(await spentAtRest(stage.harness, customer.accountId)).toBe(costNano);
      return undefined;
    },
  },
  {
    title: 'Streamed chat',
    play: async (stage, driver) => {
      const { customer, session } = await stage.enter();
      const deltas = ['Hel', 'lo ', 'there.'];
      stage.provider.on('upstream-chat', deltasResponse(deltas.map((content) => ({ content }))));
      const chunks: string[] = [];
      const response = await driver.stream(session, question, (text) => chunks.push(text) > 0);
      expect([response.text, chunks]).toEqual(['Hello there.', deltas]);
      expect(await spentAtRest(stage.harness, customer.accountId)).toBe(costNano);
      return undefined;
    },
  },
  { title: 'Two parallel tool calls, one without arguments', play: (stage, driver) => playTools(stage, driver, false) },
  { title: 'The same, streamed', play: (stage, driver) => playTools(stage, driver, true) },
  {
    title: 'Structured output with a JSON schema',
    play: async (stage, driver) => {
      const { session } = await stage.enter();
      stage.provider.on('upstream-chat', messageResponse({ content: '{"x":1,"y":2}' }));
      expect(await driver.readObject(session, question, pointSchema)).toEqual({ x: 1, y: 2 });
      expect(stage.provider.requests.at(-1)?.body.response_format).toMatchObject({
        type: 'json_schema',
        json_schema: { schema: { type: 'object', required: ['x', 'y'] } },
      });
      return undefined;
    },
  },
  {
    title: 'Text completion, streamed or not',
    play: async (stage, { complete }) => {
      if (complete instanceof Cannot) return complete;
      const { customer, session } = await stage.enter();
      stage.provider.on('upstream-completion', (truth, request) =>
        (truth.body.stream === true ? streamedText : wholeText)(truth, request),
      );
      for (const stream of [false, true]) {
        expect(await complete(session, { ...question, model: 'test/completion' }, { stream })).toBe('Once upon a time');
      }
      // Each time 11 tokens at 1.20 USD per million and 7 at 2.40.
      expect(await spentAtRest(stage.harness, customer.accountId)).toBe(2n * 30_000n);
      return undefined;
    },
  },
  {
    title: "Embeddings, with the client's defaults",
    play: (stage, { embed }) => playEmbeddings(stage, embed.unsaid),
  },
  { title: 'Embeddings as `float`', play: (stage, { embed }) => playEmbeddings(stage, embed.float) },
  { title: 'Embeddings as `base64`', play: (stage, { embed }) => playEmbeddings(stage, embed.base64) },
  {
    title: 'Speech',
    play: async (stage, { speak }) => {
      if (speak instanceof Cannot) return speak;
      const { customer, session } = await stage.enter();
      const audio = new TextEncoder().encode('RIFF and so on');
      stage.provider.on('upstream-speech', rawResponse(audio, 'audio/wav'));
      expect(await speak(session, { model: 'test/speech', text: 'Hello.' })).toEqual(audio);
      // Six characters at a dollar per million, and the usual markup.
      expect(await spentAtRest(stage.harness, customer.accountId)).toBe(7_200n);
      return undefined;
    },
  },
  {
    title: 'Transcription',
    play: async (stage, { transcribe }) => {
      if (transcribe instanceof Cannot) return transcribe;
      const { customer, session } = await stage.enter();
      stage.provider.on('upstream-transcription', transcript(durationOf(3)));
      const file = wavOf(2.5);
      expect(await transcribe(session, { model: 'test/transcription', file })).toBe('Hello, world.');
      expect(stage.provider.requests.at(-1)?.body.file).toEqual(new Uint8Array(file));
      // Three seconds, and the usual markup.
      expect(await spentAtRest(stage.harness, customer.accountId)).toBe(360_000n);
      return undefined;
    },
  },
  {
    title: 'Moderation',
    play: async (stage, { moderate }) => {
      if (moderate instanceof Cannot) return moderate;
      const { customer, session } = await stage.enter();
      const results = [false, true].map((flagged) => ({ flagged, categories: {}, category_scores: {} }));
      stage.provider.on('upstream-moderation', rawResponse(JSON.stringify({ results })));
      expect(await moderate(session, { model: 'test/moderation', texts: ['a', 'b'] })).toEqual([false, true]);
      expect(await spentAtRest(stage.harness, customer.accountId)).toBe(0n);
      return undefined;
    },
  },
  {
    title: 'Rerank',
    play: async (stage, { rerank }) => {
      if (rerank instanceof Cannot) return rerank;
      const { customer, session } = await stage.enter();
      const results = [0.1, 0.5, 0.9].map((relevance_score, index) => ({ index, relevance_score }));
      stage.provider.on('upstream-rerank', rawResponse(JSON.stringify({ results, usage: { total_tokens: 10 } })));
      const request = { model: 'test/rerank', query: 'q', texts: ['a', 'b', 'c'] };
      expect(await rerank(session, request)).toEqual([2, 1]);
      // 10 tokens at 1.20 USD per million.
      expect(await spentAtRest(stage.harness, customer.accountId)).toBe(12_000n);
      return undefined;
    },
  },
  {
    title: 'Search of the web by the provider, with citations',
    play: async (stage, { searchWeb }) => {
      if (searchWeb instanceof Cannot) return searchWeb;
      const { customer, session } = await stage.enter();
      stage.provider.on('upstream-claude', searchedMessage({ queries: ['perm'], inputTokens: 900, outputTokens: 50 }));
      const found = await searchWeb(session, { model: 'test/searching', prompt: 'Hello?', maxTokens: 100 });
      expect([found.text.includes(said), found.urls]).toEqual([true, [source.url]]);
      // 900 and 50 tokens at 0.60 and 1.80 USD per million, and one search at 1.2 cents.
      expect(await spentAtRest(stage.harness, customer.accountId)).toBe(540_000n + 90_000n + 12_000_000n);
      return undefined;
    },
  },
  {
    title: 'Batches, with files',
    play: async (stage, { runBatch }) => {
      if (runBatch instanceof Cannot) return runBatch;
      const { customer, session } = await stage.enter();
      stage.provider.on('upstream-chat', messageResponse({ content: 'Hi.' }));
      const body = { model: 'test/chat', messages: [{ role: 'user', content: 'Hello!' }] };
      const line = { custom_id: 'first', method: 'POST', url: '/v1/chat/completions', body };
      // 11 tokens at 0.60 USD per million and 7 at 1.80.
      const output = JSON.parse(await runBatch(session, JSON.stringify(line)));
      expect(output).toMatchObject({ custom_id: 'first', response: { body: { usage: { cost: costUsd } } } });
      expect(await spentAtRest(stage.harness, customer.accountId)).toBe(19_200n);
      return undefined;
    },
  },
  {
    title: 'List of models',
    play: async (stage, { listModels }) => {
      if (listModels instanceof Cannot) return listModels;
      const { session } = await stage.enter();
      const ids = [
        'chat',
        'priced-output',
        'failover',
        'embedding',
        'completion',
        'speech',
        'transcription',
        'moderation',
        'rerank',
        'searching',
        'overloaded',
      ].map((name) => `test/${name}`);
      expect(await listModels(session)).toEqual(ids);
      return undefined;
    },
  },
  {
    title: 'Tokens and cost of a response, streamed or not',
    play: async (stage, driver) => {
      const { session } = await stage.enter();
      const { promptTokens, completionTokens, cost } = driver.places;
      stage.provider.on('upstream-chat', messageResponse({ content: 'Hi.' }));
      const whole = await driver.whole(session, question);
      stage.provider.on('upstream-chat', deltasResponse([{ content: 'Hi.' }]));
      const streamed = await driver.stream(session, question);
      for (const { given } of [whole, streamed]) {
        expect([promptTokens, completionTokens, cost].map((path) => at(given, path))).toEqual([11, 7, costUsd]);
      }
      return undefined;
    },
  },
  {
    title: 'Hang-up in mid-stream: the provider is aborted, the delivered part is charged',
    play: async (stage, driver) => {
      const { customer, session } = await stage.enter();
      stage.provider.on('upstream-priced', streamedResponse({ tokens: 1_000, delayMs: 5 }));
      let chunks = 0;
      const onText = () => {
        chunks += 1;
        return chunks < 20;
      };
      await driver.stream(session, { ...question, model: 'test/priced-output', maxTokens: 1_000 }, onText);
      const truth = stage.provider.requests.at(-1);
      await waitFor('the abort upstream', guardTimeoutMs, async () => truth?.aborted === true);
      const tokenNano = 10_000n;
      const spent = await spentAtRest(stage.harness, customer.accountId);
      expect(spent).toBeGreaterThanOrEqual(20n * tokenNano);
      expect(spent).toBeLessThanOrEqual(BigInt(truth?.deliveredTokens ?? 0) * tokenNano);
      return driver.leaving;
    },
  },
  {
    title: 'A stream that the provider breaks off is an error',
    play: async (stage, driver) => {
      for (const ends of ['cut', 'error'] as const) {
        const begun = Promise.withResolvers<void>();
        const { session, statuses } = await stage.enter({ retries: 1, onStatus: () => begun.resolve() });
        const after = { tokens: 12, ends, when: begun.promise };
        stage.provider.on('upstream-chat', streamedResponse({ tokens: 50, delayMs: 1, after }));
        const error = await caught(driver.stream(session, question));
        expect(at(error, driver.places.streamCode)).toBe('upstream_error');
        expect(statuses).toEqual([200]);
      }
      return undefined;
    },
  },
  {
    title: 'A rate limit is waited out, and the retry succeeds',
    play: async (stage, driver) => {
      const held = await heldStream(stage);
      const visit = await stage.enter({
        key: held.key,
        retries: 5,
        onStatus: (status) => {
          if (status === 429) void held.release();
        },
      });
      stage.provider.on('upstream-chat', deltasResponse([{ content: 'Hi.' }]));
      expect((await driver.stream(visit.session, question)).text).toBe('Hi.');
      expect(visit.statuses.length).toBeGreaterThan(1);
      expect(new Set(visit.statuses.slice(0, -1))).toEqual(new Set([429]));
      expect(visit.statuses.at(-1)).toBe(200);
      return undefined;
    },
  },
];

async function playTools(stage: Stage, driver: Driver, stream: boolean): Promise<undefined> {
  const { session } = await stage.enter();
  stage.provider.on('upstream-chat', (truth, request) => {
    const isSecondTurn = JSON.stringify(truth.body.messages).includes('"tool"');
    const text = { content: '12 degrees at noon.' };
    const second = stream ? deltasResponse([text]) : messageResponse(text);
    const first = stream
      ? deltasResponse(toolDeltas, 'tool_calls')
      : messageResponse({ tool_calls: [weather, clock] }, 'tool_calls');
    return (isSecondTurn ? second : first)(truth, request);
  });
  const { calls, text } = await driver.talkWithTools(session, question, { stream });
  expect(calls).toEqual([
    { id: 'call_1', name: 'weather', input: { city: 'Perm' } },
    { id: 'call_2', name: 'clock', input: {} },
  ]);
  expect(text).toBe('12 degrees at noon.');
  expect(stage.provider.requests.at(-1)?.body.messages).toMatchObject([
    { role: 'user' },
    {
      role: 'assistant',
      tool_calls: [weather, { ...clock, function: { name: 'clock', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: resultOf('weather') },
    { role: 'tool', tool_call_id: 'call_2', content: resultOf('clock') },
  ]);
}

async function playEmbeddings(stage: Stage, embed: Cannot | Embed): Promise<Cannot | undefined> {
  if (embed instanceof Cannot) return embed;
  const { customer, session } = await stage.enter();
  stage.provider.on('upstream-embedding', vectorsResponse);
  expect(await embed(session, { model: 'test/embedding', texts: ['one', 'two'] })).toEqual(vectors);
  // 10 tokens at 1.20 USD per million.
  expect(await spentAtRest(stage.harness, customer.accountId)).toBe(12_000n);
  return undefined;
}
