/** A catalogue is checked before it is applied: mistakes with their lines, what changes, and for whom. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { previewSchema } from '../../../../admin/api/operator/preview-docs.ts';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { chargeOf } from '../../ledger/ledger.ts';
import type { Catalogue } from '../response-types.ts';
import { type Api, createOperator, startApi } from '../start-api.ts';

type Preview = typeof previewSchema.static;

let harness: Harness;
let api: Api;
let token: string;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
  ({ token } = await createOperator(harness, api));
  await harness.applyCatalogue(catalogueOf(model('one'), model('two'), model('gone'), image));
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

const model = (id: string, prompt = '1', completion = '2') => `
  - id: ${id}
    kind: chat
    ownedBy: demo
    contextTokens: 8000
    maxOutputTokens: 1000
    price: { prompt: "${prompt}", completion: "${completion}" }
    markup: "1.50"
    deployments: [{ provider: demo, model: upstream }]`;
const image = `
  - id: image
    kind: image
    ownedBy: demo
    contextTokens: 8000
    price: { images: [{ size: default, quality: default, priceUsd: "0.04" }] }
    deployments: [{ provider: demo, model: upstream-image }]`;
const catalogueOf = (...models: string[]) => `providers:
  - { id: demo, protocol: openai, baseUrl: "http://127.0.0.1:9/v1" }
models:${models.join('')}
`;

async function preview(catalogue: string): Promise<Preview> {
  const path = '/api/operator/catalogue/preview';
  const { status, body } = await api.call<Preview>('POST', path, { token, body: { catalogue } });
  expect(status).toBe(200);
  return body;
}

test('the preview names changed models and prices with their markup, and applies nothing', async () => {
  const before = (await api.call<Catalogue>('GET', '/api/operator/catalogue', { token })).body.version;
  const cheaperImage = image.replace('0.04', '0.03');
  const {
    customers: _,
    customersAffected: __,
    ...reported
  } = await preview(catalogueOf(model('one', '1.2'), model('two'), model('new'), cheaperImage));
  const price = (name: string) => ({ price: name, from: '1.5', to: '1.8', difference: '0.3', percent: '20' });
  expect(reported).toEqual({
    valid: true,
    version: before,
    problems: [],
    added: ['new'],
    removed: ['gone'],
    changed: [
      { id: 'one', prices: [price('prompt')] },
      {
        id: 'image',
        prices: [{ price: 'default/default', from: '0.04', to: '0.03', difference: '-0.01', percent: '-25' }],
      },
    ],
    unchanged: 1,
  });
  expect((await api.call<Catalogue>('GET', '/api/operator/catalogue', { token })).body.version).toBe(before);
});

test('the preview names customers of a changed model and what the same usage would cost', async () => {
  const [small, large, other] = [
    await harness.createCustomer({ usd: '1' }),
    await harness.createCustomer({ usd: '1' }),
    await harness.createCustomer({ usd: '1' }),
  ];
  const use = (accountId: number, of: string, promptTokens: number, chargedAt = new Date()) => {
    const charge = chargeOf(accountId, { chargedAt });
    const none = { cachedPromptTokens: 0, completionTokens: 0, reasoningTokens: 0 };
    return { ...charge, detail: { ...charge.detail, model: of, promptTokens, ...none } };
  };
  const longAgo = new Date(Date.now() - 31 * 86_400_000);
  await applyCharges(harness.database.sql, [
    use(small.accountId, 'one', 1_000_000),
    use(small.accountId, 'one', 1_000_000),
    use(large.accountId, 'one', 10_000_000),
    use(large.accountId, 'gone', 5),
    use(other.accountId, 'two', 7),
    use(other.accountId, 'one', 7, longAgo),
  ]);
  const { customersAffected, customers } = await preview(catalogueOf(model('one', '0.9'), model('two'), image));
  expect(customersAffected).toBe(2);
  const nothing = { before: null, after: null, difference: null, percent: null };
  const ofLarge = { before: '15', after: '13.5', difference: '-1.5', percent: '-10' };
  const ofSmall = { before: '3', after: '2.7', difference: '-0.3', percent: '-10' };
  expect(customers).toEqual([
    {
      ...{ accountId: large.accountId, email: large.email, ...ofLarge },
      models: [
        { model: 'gone', removed: true, requests: 1, ...nothing },
        { model: 'one', removed: false, requests: 1, ...ofLarge },
      ],
    },
    {
      ...{ accountId: small.accountId, email: small.email, ...ofSmall },
      models: [{ model: 'one', removed: false, requests: 2, ...ofSmall }],
    },
  ]);
});

test('the preview names every mistake with its line', async () => {
  const bad = catalogueOf(model('one', 'free'), model('two').replace('kind: chat', 'kind: chitchat'));
  const { valid, version, problems } = await preview(bad);
  const inForce = await api.call<Catalogue>('GET', '/api/operator/catalogue', { token });
  expect([valid, version]).toEqual([false, inForce.body.version]);
  const lines = bad.split('\n');
  expect(problems.map(({ line, message }) => [lines[(line ?? 0) - 1]?.trim(), message.split(':')[0]])).toEqual([
    ['price: { prompt: "free", completion: "2" }', 'models[0].price.prompt'],
    ['kind: chitchat', 'models[1].kind'],
  ]);
});

test.each([
  ['a model that is there twice', catalogueOf(model('one'), model('one')), 12],
  ['a provider that is not there', catalogueOf(model('one').replace('provider: demo', 'provider: dmeo')), 4],
  ['a price that is missing', catalogueOf(model('one').replace(', completion: "2"', '')), 9],
  ['a field that is missing', catalogueOf(model('one').replace('    ownedBy: demo\n', '')), 4],
  ['a syntax error', catalogueOf('\n  - id: [one'), 5],
  ['a key that is there twice', `${catalogueOf(model('one'))}    kind: chat\n`, 12],
])('the preview has the line of %s', async (_, catalogue, line) => {
  const { valid, problems } = await preview(catalogue);
  expect({ valid, lines: problems.map((problem) => problem.line) }).toEqual({ valid: false, lines: [line] });
});
