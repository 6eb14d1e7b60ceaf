/** Whatever a turn with searches is made of, each API shows it in order, and Anthropic gets it back as it came. */
import { afterAll, describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import fc from 'fast-check';
import OpenAI from 'openai';
import type { Response as OpenAIResponse } from 'openai/resources/responses/responses';
import { asArray, asRecord } from '../../../proxy/nouns/json/record.ts';
import { inCampaign } from '../../harness/campaigns.ts';
import { startGateway } from '../../harness/gateway.ts';
import { typedEventsResponse } from '../../harness/providers/completions.ts';
import { type Behaviour, rawResponse } from '../../harness/providers/scripted-provider.ts';

const { harness, provider, proxy, stop } = await startGateway({
  catalogue: (baseUrl) => `
markup: "1"
providers:
  - { id: claude, protocol: anthropic, baseUrl: "${baseUrl}" }
models:
  - { id: test/claude, kind: chat, ownedBy: test, contextTokens: 100000, maxOutputTokens: 1000,
      price: { prompt: "1", completion: "2", webSearch: "0.01" },
      deployments: [{ provider: claude, model: upstream-claude }] }
`,
});
const customer = await harness.createCustomer({ usd: '1000' });
const anthropic = new Anthropic({ baseURL: proxy.url, apiKey: customer.proxyKey, authToken: null, maxRetries: 0 });
const openai = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: customer.proxyKey, maxRetries: 0 });

afterAll(stop);

type Block = { readonly type: string } & Readonly<Record<string, unknown>>;

const word = fc.stringMatching(/^[a-z]{1,8}$/);
const citation = word.map((title) => ({
  type: 'web_search_result_location',
  url: `https://example.com/${title}`,
  title,
  encrypted_index: 'aW5kZXg',
  cited_text: title,
}));
const text = word.map((of): Block[] => [{ type: 'text', text: `${of}. ` }]);
const citedText = fc
  .tuple(word, fc.array(citation, { minLength: 1, maxLength: 2 }))
  .map(([of, citations]): Block[] => [{ type: 'text', text: `${of}! `, citations }]);
const thinking = word.map((of): Block[] => [{ type: 'thinking', thinking: of, signature: `c2ln${of}` }]);
const search = fc.tuple(word, fc.boolean()).map(([query, hasFailed]): Block[] => [
  { type: 'server_tool_use', id: '', name: 'web_search', input: { query } },
  {
    type: 'web_search_tool_result',
    tool_use_id: '',
    content: hasFailed
      ? { type: 'web_search_tool_result_error', error_code: 'unavailable' }
      : [
          {
            type: 'web_search_result',
            url: 'https://example.com/',
            title: query,
            encrypted_content: 'Y29u',
            page_age: null,
          },
        ],
  },
]);
const call = fc.constant<Block[]>([{ type: 'tool_use', id: 'toolu_1', name: 'clock', input: { zone: 'Perm' } }]);

/** At least one search. Ids are by place. */
const turns = fc
  .tuple(
    fc.array(fc.oneof(text, citedText, thinking, search), { maxLength: 6 }),
    search,
    fc.array(fc.oneof(text, citedText, thinking, search), { maxLength: 6 }),
    fc.option(call, { nil: [] as Block[] }),
  )
  .map(([before, one, after, last]) =>
    [...before, one, ...after, last].flatMap((blocks, index) =>
      blocks.map((block) => ({
        ...block,
        ...('input' in block && block.type === 'server_tool_use' && { id: `srvtoolu_${index}` }),
        ...('tool_use_id' in block && { tool_use_id: `srvtoolu_${index}` }),
      })),
    ),
  )
  .filter((blocks) => blocks.some(({ type }) => type === 'text' || type === 'tool_use'));

const used = { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 5 };
const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-x' };

/** Streamed or whole, as it is requested. */
function answer(blocks: readonly Block[], stop_reason = endOf(blocks)): Behaviour {
  const streamed = typedEventsResponse([
    { type: 'message_start', message: { ...head, content: [], usage: used } },
    ...blocks.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: startOf(block) },
      ...deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason }, usage: used },
    { type: 'message_stop' },
  ]);
  const whole = rawResponse(
    JSON.stringify({ ...head, content: blocks, stop_reason, stop_sequence: null, usage: used }),
  );
  return (truth, request) => (truth.body.stream === true ? streamed : whole)(truth, request);
}

function endOf(blocks: readonly Block[]): string {
  return blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
}

function startOf(block: Block): Block {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: '' };
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'server_tool_use':
    case 'tool_use':
      return { ...block, input: {} };
    default:
      return block;
  }
}

function deltasOf(block: Block): Block[] {
  switch (block.type) {
    case 'text':
      return [
        ...asArray(block.citations).map((each) => ({ type: 'citations_delta', citation: each })),
        { type: 'text_delta', text: block.text },
      ];
    case 'thinking':
      return [
        { type: 'thinking_delta', thinking: block.thinking },
        { type: 'signature_delta', signature: block.signature },
      ];
    case 'server_tool_use':
    case 'tool_use':
      return [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }];
    default:
      return [];
  }
}

const question = { role: 'user' as const, content: 'Hello?' };
const clock = { name: 'clock', input_schema: { type: 'object' as const } };
const request = {
  model: 'test/claude',
  max_tokens: 100,
  tools: [clock, { type: 'web_search_20250305' as const, name: 'web_search' as const }],
};
const ofResponses = {
  model: 'test/claude',
  input: 'Hello?',
  tools: [
    { type: 'web_search' as const },
    { type: 'function' as const, name: 'clock', parameters: null, strict: null },
  ],
};
/** The turn that was sent back. */
const returned = () => asRecord(asArray(provider.requests.at(-1)?.body.messages)[1]).content;
const citedTexts = (blocks: readonly Block[]) =>
  blocks.flatMap(({ text: of, citations }) => ((citations ?? []) as unknown[]).map(() => of));

test.each(['whole', 'streamed'])(
  'a message that is %s has its blocks in order, and goes back unchanged (campaign)',
  async (form) => {
    await fc.assert(
      fc.asyncProperty(turns, async (blocks) => {
        provider.on('upstream-claude', answer(blocks));
        const body = { ...request, messages: [question] };
        const message =
          form === 'whole'
            ? await anthropic.messages.create(body)
            : await anthropic.messages.stream(body).finalMessage();
        expect<unknown>(message.content).toEqual(blocks);
        const result = { type: 'tool_result' as const, tool_use_id: 'toolu_1', content: 'noon' };
        const next = message.stop_reason === 'tool_use' ? { role: 'user' as const, content: [result] } : question;
        await anthropic.messages.create({
          ...body,
          messages: [question, { role: 'assistant', content: message.content }, next],
        });
        expect(returned()).toEqual(blocks);
      }),
      { numRuns: inCampaign(20, 60) },
    );
  },
);

test.each(['whole', 'streamed'])(
  'the citations of a response that is %s are of what was cited (campaign)',
  async (form) => {
    await fc.assert(
      fc.asyncProperty(turns, async (blocks) => {
        provider.on('upstream-claude', answer(blocks));
        const { output } =
          form === 'whole'
            ? await openai.responses.create(ofResponses)
            : await openai.responses.stream(ofResponses).finalResponse();
        expect(citedIn(output)).toEqual(citedTexts(blocks));
        const kinds = output.flatMap(({ type }) =>
          type === 'web_search_call' || type === 'function_call' ? [type] : [],
        );
        const expected = blocks.flatMap(({ type }) =>
          type === 'server_tool_use' ? ['web_search_call'] : type === 'tool_use' ? ['function_call'] : [],
        );
        expect<readonly string[]>(kinds).toEqual(expected);
      }),
      { numRuns: inCampaign(20, 60) },
    );
  },
);

function citedIn(output: OpenAIResponse['output']): unknown[] {
  const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []));
  return parts.flatMap((part) =>
    part.type === 'output_text'
      ? part.annotations.flatMap((found) =>
          found.type === 'url_citation' ? [part.text.slice(found.start_index, found.end_index)] : [],
        )
      : [],
  );
}

test('thinking does not go back without the searches beside which it stood', async () => {
  const blocks: Block[] = [
    { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
    { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } },
    { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
    { type: 'text', text: 'So.' },
    { type: 'tool_use', id: 'toolu_1', name: 'clock', input: {} },
  ];
  provider.on('upstream-claude', answer(blocks));
  const first = await openai.responses.create({ ...ofResponses, include: ['reasoning.encrypted_content'] });
  const result = { type: 'function_call_output' as const, call_id: 'toolu_1', output: 'noon' };
  const input = [question, ...first.output, result] as never;
  await openai.responses.create({ ...ofResponses, input });
  expect(returned()).toEqual([blocks[3], blocks[4]]);
});

describe('a search without its result', () => {
  const waiting: Block = { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } };
  const said: Block = { type: 'text', text: 'So far.' };
  const returnedWith = async (content: Block[], ...next: Anthropic.MessageParam[]) => {
    provider.on('upstream-claude', answer([said]));
    const messages = [question, { role: 'assistant' as const, content: content as never }, ...next];
    await anthropic.messages.create({ ...request, messages });
    return returned();
  };

  test('is what a turn that its provider pauses ends with, and what has it continued', async () => {
    for (const isStream of [false, true]) {
      provider.on('upstream-claude', answer([said, waiting], 'pause_turn'));
      const body = { ...request, messages: [question] };
      const message = isStream
        ? await anthropic.messages.stream(body).finalMessage()
        : await anthropic.messages.create(body);
      expect<unknown>(message).toMatchObject({ content: [said, waiting], stop_reason: 'pause_turn' });
      expect(await returnedWith(message.content as never)).toEqual([said, waiting]);
    }
  });

  test('goes back where the results of other calls follow, and nowhere else', async () => {
    const called: Block = { type: 'tool_use', id: 'toolu_1', name: 'clock', input: {} };
    const result = { type: 'tool_result' as const, tool_use_id: 'toolu_1', content: 'noon' };
    const content = [said, waiting, called];
    expect(await returnedWith(content, { role: 'user', content: [result] })).toEqual(content);
    expect(await returnedWith([said, waiting], question)).toEqual([said]);
    const found: Block = { type: 'web_search_tool_result', tool_use_id: 'other', content: [] };
    expect(await returnedWith([said, found], question)).toEqual([said]);
  });

  test('is not complete in a response', async () => {
    provider.on('upstream-claude', answer([said, waiting], 'pause_turn'));
    const { output } = await openai.responses.create(ofResponses);
    expect(output.at(-1)).toMatchObject({ type: 'web_search_call', status: 'incomplete' });
  });
});

test('a response in JSON has no citations, whatever is said beside it', async () => {
  const json = { type: 'tool_use', id: 'toolu_1', name: 'answer', input: { x: 1 } };
  const cited = {
    type: 'text',
    text: 'Found.',
    citations: [{ type: 'web_search_result_location', url: 'https://a.test/' }],
  };
  for (const blocks of [[cited, json], [cited]]) {
    provider.on('upstream-claude', answer(blocks));
    const schema = { type: 'object', properties: { x: { type: 'integer' } } };
    const body = {
      model: 'test/claude',
      messages: [question],
      web_search_options: {},
      response_format: { type: 'json_schema' as const, json_schema: { name: 'answer', schema } },
    };
    const whole = await openai.chat.completions.create(body);
    const chunks = await Array.fromAsync(await openai.chat.completions.create({ ...body, stream: true }));
    expect(JSON.stringify([whole, chunks])).not.toContain('annotations');
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(
      whole.choices[0]?.message.content ?? '',
    );
  }
});

test('nonsense in what a provider says of searches is left out, and no response fails for it (campaign)', async () => {
  const nonsense = fc.oneof(fc.constantFrom(null, 7, 'x', [], {}, [null], [{ url: 5 }], { query: [] }), fc.jsonValue());
  const odd = fc.record(
    {
      id: nonsense,
      name: fc.oneof(fc.constant('web_search'), nonsense),
      input: nonsense,
      tool_use_id: nonsense,
      content: nonsense,
      citations: nonsense,
    },
    { requiredKeys: [] },
  );
  const blocks = fc.array(
    fc.tuple(fc.constantFrom('server_tool_use', 'web_search_tool_result', 'text'), odd).map(([type, members]) => ({
      ...members,
      type,
      ...(type === 'text' && { text: 'So. ' }),
    })),
    { maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(blocks, fc.boolean(), async (given, isStream) => {
      provider.on('upstream-claude', answer([...given, { type: 'text', text: 'End.' }]));
      const body = { ...request, messages: [question] };
      const message = isStream
        ? await anthropic.messages.stream(body).finalMessage()
        : await anthropic.messages.create(body);
      const texts = message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
      expect(texts).toBe(`${'So. '.repeat(given.filter(({ type }) => type === 'text').length)}End.`);
      // What the gateway returns, it takes back.
      await anthropic.messages.create({
        ...body,
        messages: [question, { role: 'assistant', content: message.content }, question],
      });
      expect((await openai.responses.create(ofResponses)).status).toBe('completed');
    }),
    { numRuns: inCampaign(20, 60) },
  );
});
