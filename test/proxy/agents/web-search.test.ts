/** Claude Code and Codex, as npm has them, have the provider search the web, and each search is charged. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asArray, asRecord } from '../../../proxy/nouns/json/record.ts';
import { spentAtRest } from '../../harness/books.ts';
import { startGateway } from '../../harness/gateway.ts';
import { typedEventsResponse } from '../../harness/providers/completions.ts';
import type { Behaviour, Truth } from '../../harness/providers/scripted-provider.ts';
import { said, searchedMessage, searchedResponse } from '../../harness/providers/web-search.ts';
import { type Agent, codex } from './agents.ts';
import { installAgent } from './install-agents.ts';
import { runAgent, timeoutMs } from './run-agent.ts';

const model = 'claude-sonnet-4-5';
const codexModel = 'gpt-5.5';
const installed = { 'claude-code': await installAgent('claude-code'), codex: await installAgent('codex') };
for (const [name, installation] of Object.entries(installed)) {
  if (!installation.ok) console.warn(`${name} is not tested, because it cannot be installed: ${installation.why}`);
}

const claudeCode: Agent = {
  name: 'Claude Code',
  package: 'claude-code',
  model,
  environment: ({ url, key }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_AUTH_TOKEN: key,
    ANTHROPIC_SMALL_FAST_MODEL: model,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  }),
  command: ['claude', '-p', 'How many people live in Perm?', '--model', model, '--allowedTools', 'WebSearch'],
  steps: [],
};

const codexAgent: Agent = {
  ...codex(codexModel, []),
  command: ['codex', 'exec', '-m', codexModel, '--skip-git-repo-check', 'How many people live in Perm?'],
};

/** 1,000 nano-dollars a prompt token, 2,000 an output token, and 10,000,000 a search. */
const { harness, provider, proxy, stop } = await startGateway({
  catalogue: (baseUrl) => `
markup: "1"
providers:
  - { id: claude, protocol: anthropic, baseUrl: "${baseUrl}" }
  - { id: native, protocol: openai-responses, baseUrl: "${baseUrl}" }
models:
  - { id: ${model}, kind: chat, ownedBy: test, contextTokens: 200000, maxOutputTokens: 64000,
      price: { prompt: "1", completion: "2", webSearch: "0.01" },
      deployments: [{ provider: claude, model: upstream-claude }] }
  - { id: ${codexModel}, kind: chat, ownedBy: test, contextTokens: 200000, maxOutputTokens: 64000,
      price: { prompt: "1", completion: "2", webSearch: "0.01" },
      deployments: [{ provider: native, model: upstream-native }] }
`,
});
const homes: string[] = [];

afterAll(async () => {
  await stop();
  for (const home of homes) await rm(home, { recursive: true, force: true });
});

async function run(agent: Agent, installation: Awaited<ReturnType<typeof installAgent>>) {
  const customer = await harness.createCustomer({ usd: '20' });
  const home = await mkdtemp(join(tmpdir(), 'gateway-agent-'));
  homes.push(home);
  const place = { url: proxy.url, key: customer.proxyKey, home };
  return { customer, outcome: await runAgent(agent, place, installation.ok ? installation.directory : '') };
}

const used = { input_tokens: 1_000, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 50 };

function messageOf(block: object, delta: object, stop_reason: string): Behaviour {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], usage: used };
  return typedEventsResponse([
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason }, usage: used },
    { type: 'message_stop' },
  ]);
}

const say = (text: string) => messageOf({ type: 'text', text: '' }, { type: 'text_delta', text }, 'end_turn');
const callSearch = messageOf(
  { type: 'tool_use', id: 'toolu_1', name: 'WebSearch', input: {} },
  { type: 'input_json_delta', partial_json: '{"query":"inhabitants of Perm"}' },
  'tool_use',
);
const search = searchedMessage({ queries: ['inhabitants of Perm'], inputTokens: 1_000, outputTokens: 50 });
const toolsOf = ({ body }: Pick<Truth, 'body'>) => asArray(body.tools).map(asRecord);
const isSearch = (truth: Pick<Truth, 'body'>) => toolsOf(truth).some(({ type }) => type === 'web_search_20250305');

test.skipIf(!installed['claude-code'].ok)(
  'Claude Code reads what was found, and each request and the search are charged',
  async () => {
    provider.on('upstream-claude', (truth, request) => {
      const hasFound = truth.text.includes('tool_result');
      if (isSearch(truth)) return search(truth, request);
      const offers = toolsOf(truth).some(({ name }) => name === 'WebSearch');
      return (hasFound || !offers ? say(hasFound ? 'About a million.' : 'Perm') : callSearch)(truth, request);
    });
    const { customer, outcome } = await run(claudeCode, installed['claude-code']);
    expect(outcome).toMatchObject({ exitCode: 0, printed: expect.stringContaining('About a million.') });
    expect(provider.requests.filter(isSearch)).toHaveLength(1);
    // The agent gives the model what the search has said.
    expect(provider.requests.at(-1)?.text).toContain(said);
    const charged = BigInt(provider.requests.length) * 1_100_000n + 10_000_000n;
    expect(await spentAtRest(harness, customer.accountId)).toBe(charged);
  },
  timeoutMs,
);

test.skipIf(!installed.codex.ok)(
  'Codex has what it asks for found, at a price for each search',
  async () => {
    provider.on('upstream-native', searchedResponse({ queries: ['perm'], inputTokens: 1_000, outputTokens: 50 }));
    const before = provider.requests.length;
    const { customer, outcome } = await run(codexAgent, installed.codex);
    expect(outcome).toMatchObject({ exitCode: 0, printed: expect.stringContaining(said) });
    const requests = provider.requests.slice(before);
    const [{ body } = { body: {} }] = requests;
    const searches = toolsOf({ body }).filter(({ type }) => type === 'web_search');
    expect(searches).toEqual([{ type: 'web_search', external_web_access: false }]);
    expect(body).toMatchObject({ max_tool_calls: 5 });
    const charged = BigInt(requests.length) * (1_100_000n + 10_000_000n);
    expect(await spentAtRest(harness, customer.accountId)).toBe(charged);
  },
  timeoutMs,
);
