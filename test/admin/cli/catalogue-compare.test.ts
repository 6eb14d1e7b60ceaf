/** `gateway catalogue compare`, with lists in files and at an address. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { testCatalogue } from '../../harness/providers/test-catalogue.ts';
import { type Harness, startHarness } from '../../harness.ts';
import { type ListServer, startListServer } from '../catalogue/published-lists/list-server.ts';
import { type Gateway, gatewayOf } from './run-gateway.ts';

let harness: Harness;
let gateway: Gateway;
let server: ListServer;
beforeAll(async () => {
  harness = await startHarness();
  gateway = gatewayOf(harness);
  server = startListServer();
});
afterAll(async () => {
  await server.stop();
  await harness.stop();
});

interface Comparison {
  readonly equal: boolean;
  readonly version: number;
  readonly changed: readonly unknown[];
}

const model = (name: string, prompt: string) => `"scripted/${name}": {
  "litellm_provider": "scripted", "mode": "chat", "max_input_tokens": 32768, "input_cost_per_token": ${prompt} }`;
const same = [model('upstream-chat', '5e-07'), model('upstream-priced', '0'), model('upstream-first', '0.0000005')];
const compare = async (list: string, ...options: string[]) => {
  const path = join(harness.directory, `${crypto.randomUUID()}.json`);
  await Bun.write(path, list);
  return gateway<Comparison>(['catalogue', 'compare', '--with', path, ...options]);
};

test('a list that says the same is exit code 0, and one that says something else 3', async () => {
  await harness.applyCatalogue(testCatalogue('http://127.0.0.1:1'));
  const equal = await compare(`{ ${same.join(',')} }`, '--json');
  expect(equal).toMatchObject({ exitCode: 0, problem: '', json: { equal: true, changed: [], unchanged: 3 } });
  const other = await compare(`{ ${model('upstream-chat', '2e-06')}, ${model('new', '1')} }`, '--json');
  expect(other).toMatchObject({
    exitCode: 3,
    problem: '',
    json: {
      ...{ equal: false, form: 'litellm', unchanged: 0, added: ['scripted/new'], ambiguous: [], unreadable: [] },
      changed: [
        {
          ...{ model: 'test/chat', entry: 'scripted/upstream-chat', rule: 'deployment' },
          changes: [{ field: 'prompt', from: '0.5', to: '2', isPrice: true, isDecrease: false, isLarge: true }],
        },
      ],
      unlisted: ['test/priced-output', 'test/failover'],
    },
  });
});

test('a new model alone is a difference', async () => {
  expect((await compare(`{ ${[...same, model('new', '1')].join(',')} }`)).exitCode).toBe(3);
});

test('people read a table, and what was not compared', async () => {
  const { out } = await compare(`{
    ${model('upstream-chat', '2e-06')}, "broken": { "input_cost_per_token": "free" }, ${model('upstream-priced', '0')},
    ${model('upstream-first-2030-01-01', '1e-06')}, ${model('upstream-first-2030-02-01', '2e-06')} }`);
  expect(out.trimEnd().split('\n')).toEqual([
    'MODEL\tENTRY\tWHAT\tCATALOGUE\tLIST\tNOTE',
    'test/chat\tscripted/upstream-chat\tprompt\t$0.5\t$2\tmore than 3 times',
    'The list says the same about 1 model and something else about 1.',
    'Not compared: test/failover may be scripted/upstream-first-2030-01-01 or scripted/upstream-first-2030-02-01.',
    '1 unreadable: broken (input_cost_per_token is not a number of at least 0).',
  ]);
});

test('a list is fetched from an address', async () => {
  server.answer = () => new Response(`{ ${same.join(',')} }`);
  expect((await gateway(['catalogue', 'compare', '--with', server.url])).exitCode).toBe(0);
  server.answer = () => new Response('gone', { status: 410 });
  const { exitCode, error } = await gateway(['catalogue', 'compare', '--with', server.url, '--json']);
  expect({ exitCode, code: error?.code }).toEqual({ exitCode: 1, code: 'list_unavailable' });
  const refused = await gateway(['catalogue', 'compare', '--with', 'http://example.com/', '--json']);
  expect(refused).toMatchObject({ exitCode: 1, error: { code: 'list_unavailable' } });
});

test('what cannot be read is a failure, and changes nothing', async () => {
  expect((await compare('{}', '--json')).error).toMatchObject({ code: 'invalid_price_list', param: 'list' });
  const missing = await gateway(['catalogue', 'compare', '--with', '/nowhere/list.json', '--json']);
  expect(missing).toMatchObject({ exitCode: 1, error: { code: 'file_unreadable', param: 'with' } });
  expect((await gateway(['catalogue', 'compare'])).exitCode).toBe(2);
});
