/**
 * The gateway's work before it sends a request grows no faster than the request: a list twice as long may be twice the
 * work, and two long lists the sum of both. Holds for each list in a body of every endpoint, every API format and every
 * provider's protocol. The test counts steps instead of time.
 */
import { describe, expect, test } from 'bun:test';
import { endpoints } from '../../../proxy/api/endpoints.ts';
import type { Call } from '../../../proxy/nouns/call.ts';
import { patchObject } from '../../../proxy/nouns/json/patch-object.ts';
import { weighPrompt } from '../../../proxy/pricing/prompt-weight.ts';
import type { UpstreamTarget } from '../../../proxy/providers/adapter.ts';
import { operationOf } from '../../../proxy/providers/adapters.ts';
import { quoteOf } from '../../../proxy/request/planning/quote.ts';
import { type Protocol, protocols } from '../../../shared/catalogue/published-catalogue.ts';
import { JsonScanner, jsonLimits, tokenIdLimits } from '../../../shared/http/intake/json-scanner.ts';
import { picoUsdEach } from '../../../shared/money.ts';
import { inCampaign } from '../../harness/campaigns.ts';
import { pricesAt } from '../../harness/prices.ts';
import { countSteps } from '../../harness/step-counter.ts';

const length = 100;
/** Refusing a list that is too long may be more work than accepting it; anything quadratic is far above this. */
const slack = 5_000;

/** Keeps all names the same length, so that a longer list does not have longer names. */
const firstNumber = 1_000;

const place = { $ref: '#/$defs/place' };
const schema = {
  type: 'object',
  properties: { name: { type: 'string', enum: ['a'] }, place },
  required: ['name'],
  allOf: [{ properties: { more: { type: 'number' } } }],
  anyOf: [{ type: 'object' }],
  $defs: { place: { type: 'object', properties: { street: { type: 'string' } } } },
};
const chat = {
  model: 'm',
  messages: [
    { role: 'system', content: [{ type: 'text', text: 'Rules' }] },
    { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    {
      role: 'assistant',
      content: 'x',
      thinking_blocks: [{ type: 'thinking', thinking: 'Hm', signature: 's' }],
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'find', arguments: '{"a":[1],"b":{"c":1}}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: '{"found":[1]}' }] },
  ],
  tools: [{ type: 'function', function: { name: 'find', description: 'Finds', parameters: schema } }],
  tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ function: { name: 'find' } }] } },
  response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
  stop: ['end'],
  logit_bias: { 50256: -100 },
  metadata: { any: 'thing' },
};
const bodies: Readonly<Record<string, object>> = {
  '/v1/chat/completions': chat,
  '/v1/completions': { model: 'm', prompt: ['Once'], stop: ['end'], logit_bias: { 50256: -100 } },
  '/v1/embeddings': { model: 'm', input: ['Once'] },
  '/v1/images/generations': { model: 'm', prompt: 'Once', size: '1024x1024', quality: null },
  '/v1/messages': {
    model: 'm',
    max_tokens: 100,
    system: [{ type: 'text', text: 'Rules' }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm', signature: 's' },
          { type: 'text', text: 'x' },
          { type: 'tool_use', id: 'call_1', name: 'find', input: { a: [1], b: { c: 1 } } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: 'found' }] },
          { type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: 'found' }] },
          { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'page' }] } },
        ],
      },
    ],
    tools: [{ name: 'find', input_schema: schema }],
    stop_sequences: ['end'],
  },
  '/v1/responses': {
    model: 'm',
    instructions: 'Rules',
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
      { type: 'reasoning', summary: [{ text: 'Hm' }] },
      { role: 'assistant', content: [{ type: 'output_text', text: 'x' }] },
      { type: 'function_call', call_id: 'call_1', name: 'find', arguments: '{"a":[1],"b":{"c":1}}' },
      { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: 'found' }] },
    ],
    tools: [{ type: 'function', name: 'find', parameters: schema }],
    tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'find' }] },
    text: { format: { type: 'json_schema', name: 'answer', schema } },
    include: ['reasoning.encrypted_content'],
    metadata: { any: 'thing' },
  },
};

const applyPatch = { type: 'custom', name: 'patch', format: { type: 'grammar', definition: 'start: x' } };
const patchCall = { id: 'call_2', type: 'function', function: { name: 'patch', arguments: '*** Begin Patch' } };
/** What Cursor sends to the endpoint for chat completions. */
const cursorForms: Readonly<Record<string, object>> = {
  'the form of the Responses API': {
    ...bodies['/v1/responses'],
    input: [{ type: 'function_call', call_id: 'call_2', name: 'patch', arguments: '*** Begin Patch' }],
    tools: [applyPatch, { type: 'function', function: { name: 'find', parameters: schema } }],
    tool_choice: 'auto',
  },
  'flat tools': {
    ...chat,
    messages: [{ role: 'assistant', content: [], tool_calls: [patchCall] }],
    tools: [applyPatch, { type: 'function', name: 'find', parameters: schema }],
  },
  "tools in Anthropic's form": {
    ...chat,
    ...bodies['/v1/messages'],
    system: undefined,
    stop_sequences: undefined,
    tool_choice: { type: 'tool', name: 'find' },
  },
};
const forms = [
  ...Object.keys(endpoints).map((path) => ({ name: path, path, body: bodies[path] ?? {} })),
  ...Object.entries(cursorForms).map(([name, body]) => ({ name, path: '/v1/chat/completions', body })),
];

type Path = readonly string[];
type Json = Record<string, unknown> | unknown[];

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** Every list and every object with free names. */
function growable(value: unknown, path: Path = []): Path[] {
  if (!isJson(value)) return [];
  const own = path.length > 0 && (Array.isArray(value) || Object.keys(value).length > 0) ? [path] : [];
  return [...own, ...Object.entries(value).flatMap(([name, member]) => growable(member, [...path, name]))];
}

/** The body with these lists at `count` items. Names and ids are unique within a list, and the same in each list. */
function grown(body: object, paths: readonly Path[], count: number): object {
  // A structured clone would keep shared objects shared, so that they would grow twice.
  const copy: object = JSON.parse(JSON.stringify(body));
  for (const path of paths) {
    const value = path.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], copy);
    if (Array.isArray(value)) {
      const [first] = value;
      for (let index = value.length; index < count; index += 1) value.push(renamed(first, index));
    } else {
      const [[name = '', member] = []] = Object.entries(value as object);
      for (let index = 0; index < count; index += 1)
        (value as Record<string, unknown>)[`${name}${firstNumber + index}`] = member;
    }
  }
  return copy;
}

const naming = new Set(['name', 'id', 'call_id', 'tool_call_id', 'tool_use_id', 'text']);

function renamed(value: unknown, index: number, name = ''): unknown {
  if (typeof value === 'string') return naming.has(name) ? `${value}${firstNumber + index}` : value;
  if (!isJson(value)) return value;
  if (Array.isArray(value)) return value.map((item) => renamed(item, index));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, renamed(member, index, key)]));
}

const image = { size: 'default', quality: 'default', price: picoUsdEach(0n) };
const prices = { ...pricesAt({ prompt: 0n, completion: 0n }), image };

function targetOf(protocol: Protocol): UpstreamTarget {
  const quirks = { toolCallIds: 'alphanumeric9', developerRole: 'system', reasoningContent: 'required' } as const;
  const provider = { id: 'p', protocol, baseUrl: 'https://p.test/v1', apiKeyEnv: '', quirks };
  const deployment = { name: 'p/m', provider, model: 'm', priority: 1, weight: 1, onDisconnect: 'abort' } as const;
  return { apiKey: undefined, outputCap: 100, deployment };
}

const targets = protocols.map(targetOf);

/** All work on a body until it is sent, for each kind of provider, and the work of an estimate. */
function work(path: string, body: object): number {
  const endpoint = endpoints[path];
  if (endpoint === undefined) throw new Error(`there is no ${path}`);
  const { kind, read } = endpoint;
  const text = JSON.stringify(body);
  return countSteps((counted) => {
    const call: Call = read(counted(body), text, undefined);
    const model = { id: 'm', kind, ownedBy: 'p', createdAt: 0, contextTokens: 1_000, maxOutputTokens: 100, prices };
    quoteOf({ ...model, deployments: targets.map(({ deployment }) => deployment) }, call);
    for (const target of targets) {
      operationOf(target.deployment.provider.protocol, kind)?.buildRequest(call, target);
      weighPrompt(call, target.deployment.provider);
    }
  });
}

const nameOf = (path: Path) => path.join('.');

describe.each(forms)('$name', ({ path, body }) => {
  const lists = growable(body);
  const workWith = (paths: readonly Path[], count: number) => work(path, grown(body, paths, count));
  // Excludes one-time initialization.
  workWith([], 0);

  const isLinear = (paths: readonly Path[]) => {
    const twice = workWith(paths, 2 * length);
    return workWith(paths, 4 * length) - twice <= 2 * (twice - workWith(paths, length)) + slack;
  };

  test.each(lists.map((list) => [nameOf(list), list] as const))('takes linear work for a long %s', (_name, list) => {
    expect(isLinear([list])).toBe(true);
  });

  test('takes linear work for any two long lists (campaign)', () => {
    const none = workWith([], 0);
    const added = new Map(lists.map((list) => [list, workWith([list], length) - none]));
    // Two related lists may be more work than the sum of both, but it must still be linear.
    const isMore = (pair: readonly Path[]) =>
      workWith(pair, length) - none > pair.reduce((sum, list) => sum + (added.get(list) ?? 0), 0) + slack;
    const pairs = pairsOf(lists).filter((_, index) => index % inCampaign(40, 3) === 0);
    const multiplied = pairs.filter((pair) => isMore(pair) && !isLinear(pair));
    expect(multiplied.map((pair) => pair.map(nameOf))).toEqual([]);
  });
});

/** All pairs in which neither contains the other. */
function pairsOf(lists: readonly Path[]): Path[][] {
  const contains = (outer: Path, inner: Path) => outer.every((name, index) => inner[index] === name);
  return lists.flatMap((one, index) =>
    lists.slice(index + 1).flatMap((other) => (contains(one, other) || contains(other, one) ? [] : [[one, other]])),
  );
}

describe('a JSON text', () => {
  const texts: Readonly<Record<string, (count: number) => string>> = {
    'of many strings': (count) => `{"a":[${'"b",'.repeat(count)}"c"]}`,
    'of many escapes': (count) => `{"a":"${'\\"'.repeat(count)}"}`,
    'of many backslashes': (count) => `{"a":"${'\\\\'.repeat(count)}"}`,
    'of many members': (count) => `{${'"b":1,'.repeat(count)}"c":2}`,
    'of one long string': (count) => `{"a":"${'b'.repeat(count)}"}`,
    'of many blanks': (count) => `{"a":1${' '.repeat(count)}}`,
  };

  test.each(Object.keys(texts))('%s is scanned and patched in linear time', (name) => {
    const text = texts[name] ?? (() => '{}');
    const scan = (count: number) => countSteps(() => new JsonScanner(tokenIdLimits).push(text(count)));
    const patch = (count: number) => countSteps(() => patchObject(text(count), { a: undefined, d: '1' }));
    for (const each of [scan, patch]) expect(each(20_000)).toBeLessThanOrEqual(each(10_000) * 2 + slack);
  });

  test.each(['[', '{"a":'])('a JSON text with a deep %s is refused before it is parsed', (open) => {
    const deep = open.repeat(jsonLimits.depth + 1);
    expect(() => new JsonScanner(jsonLimits).push(deep)).toThrow('levels of nesting');
    expect(() => new JsonScanner(jsonLimits).push(open.repeat(jsonLimits.depth))).not.toThrow();
  });
});

/** Each took seconds to minutes where work grew with the square of a list. */
describe('bodies within all limits, made to be slow', () => {
  const sent = (protocol: Protocol, body: object) => {
    const read = endpoints['/v1/chat/completions']?.read;
    if (read === undefined) throw new Error('no endpoint');
    const text = JSON.stringify(body);
    const target = targetOf(protocol);
    return operationOf(protocol, 'chat')?.buildRequest(read(body, text, undefined), target);
  };
  const nested = (parameters: object) => ({
    ...{ model: 'm', messages: [{ role: 'user', content: 'x' }] },
    tools: [{ type: 'function', function: { name: 'f', parameters } }],
  });
  const numbered = (count: number, value: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));

  test('members without effect are removed', () => {
    const body = { ...numbered(50_000, null), model: 'm', messages: [{ role: 'user', content: 'x' }], max_tokens: 1 };
    expect(JSON.stringify(sent('openai', body))).not.toContain('k49999');
  });

  test('schemas of very many parts are merged', () => {
    const allOf = Array.from({ length: 16_000 }, (_, index) => ({ properties: { [`p${index}`]: { type: 'number' } } }));
    expect(JSON.stringify(sent('gemini', nested({ type: 'object', allOf })))).toContain('p15999');
  });

  test('references to a large schema are followed as often as may be', () => {
    const $defs = { large: { properties: numbered(15_000, {}) } };
    const allOf = Array.from({ length: 15_000 }, () => ({ $ref: '#/$defs/large' }));
    expect(sent('gemini', nested({ type: 'object', allOf, $defs }))).toBeDefined();
  });

  test('a list of types is one of each', () => {
    const type = Array.from({ length: 30_000 }, () => 'string');
    const property = { ...numbered(25_000, null), type: [...type, 'null'], enum: ['a'], description: 'One' };
    const built = String(Object(sent('gemini', nested({ type: 'object', properties: { property } }))).body);
    expect(built).toContain('"enum":["a"]');
    expect(built.length).toBeLessThan(2_000);
  });
});
