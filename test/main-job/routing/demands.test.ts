/** What a request demands and prefers of its providers, compared with a second reading of the rules. */
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { violationsAtRest } from '../../harness/books.ts';
import { failWith } from '../../harness/providers/scripted-provider.ts';
import { answers, deployments, type Facts, hello, modelIds, startRoutedGateway, upstreamOf } from './routed-gateway.ts';

const { harness, provider, stop, ask } = await startRoutedGateway();
afterAll(stop);

describe('what a request demands of its provider', () => {
  interface Demands {
    readonly only?: string[] | null;
    readonly ignore?: string[] | null;
    readonly country?: string | string[];
    readonly zdr?: boolean;
    readonly data_collection?: 'allow' | 'deny';
    readonly order?: string[];
    readonly allow_fallbacks?: boolean;
  }

  const names = fc.uniqueArray(fc.constantFrom('azure', 'openai', 'local', 'unused', 'AZURE'), { maxLength: 3 });
  const demands: fc.Arbitrary<Demands> = fc.record(
    {
      only: fc.oneof({ weight: 3, arbitrary: names }, fc.constant(null)),
      ignore: names,
      country: fc.constantFrom('DE', 'us', ['RU', 'DE'], ['KZ']),
      zdr: fc.boolean(),
      data_collection: fc.constantFrom('allow', 'deny'),
      order: names,
      allow_fallbacks: fc.boolean(),
    },
    { requiredKeys: [] },
  );

  /** The rules once more: what is not known meets no demand. */
  function mayServe({ name, country, retentionDays, trains }: Facts, wanted: Demands): boolean {
    const has = (list: readonly string[] | null | undefined) =>
      name !== undefined && (list ?? []).some((each) => each.toLowerCase() === name);
    if (wanted.only?.length && !has(wanted.only)) return false;
    if (wanted.ignore?.length && (name === undefined || has(wanted.ignore))) return false;
    const countries = wanted.country === undefined ? undefined : [wanted.country].flat();
    if (countries && !countries.some((code) => code.toUpperCase() === country)) return false;
    if (wanted.zdr && retentionDays !== 0) return false;
    if (wanted.data_collection === 'deny' && trains !== false) return false;
    return !(wanted.order?.length && wanted.allow_fallbacks === false && !has(wanted.order));
  }

  test('is met by the provider that serves it, and no provider is sent a request that none may serve', async () => {
    const customer = await harness.createCustomer({ usd: '100' });
    for (const model of Object.keys(deployments)) provider.on(model, answers);
    await fc.assert(
      fc.asyncProperty(demands, async (wanted) => {
        const before = provider.requests.length;
        const { status, served, answer } = await ask(customer, {
          model: 'test/spread',
          messages: hello,
          provider: wanted,
        });
        const allowed = Object.entries(deployments).filter(([, of]) => mayServe(of, wanted));
        if (allowed.length === 0) {
          expect({ status, code: answer.error?.code }).toEqual({ status: 404, code: 'no_deployment_fits' });
          expect(answer.error?.param).toBe('provider');
          expect(provider.requests.length).toBe(before);
          return;
        }
        expect(status).toBe(200);
        expect(allowed.map(([model]) => model)).toContain(served ?? '');
        // The first of the order that may serve it, whatever the weights.
        const first = wanted.order?.find((name) => allowed.some(([, of]) => of.name === name.toLowerCase()));
        if (first !== undefined) expect(deployments[served ?? '']?.name).toBe(first.toLowerCase());
      }),
      { numRuns: 300 },
    );
    expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
  });

  test('is listed by the refusal, each demand with what it excludes', async () => {
    const customer = await harness.createCustomer({ usd: '1' });
    const wanted = { country: 'DE', data_collection: 'deny', ignore: ['azure'] };
    const { answer } = await ask(customer, { model: 'test/spread', messages: hello, provider: wanted });
    expect(answer.error?.message).toBe(
      "No provider of 'test/spread' fits: ignore=azure (request) excludes azure and 1 without a public name; " +
        'country=DE (request) excludes openai, local.',
    );
  });

  test.each([
    [{ only: ['azur'] }, 'provider.only[0]'],
    [{ ignore: ['azure', 'nameless'] }, 'provider.ignore[1]'],
    [{ order: ['cluster'] }, 'provider.order[0]'],
    [{ quantizations: ['int4'] }, 'provider.quantizations'],
    [{ country: 'Germany' }, 'provider.country'],
    [{ zdr: 'yes' }, 'provider.zdr'],
    [{ sort: 'luck' }, 'provider.sort'],
    [{ max_price: { prompt: '1e3' } }, 'provider.max_price.prompt'],
    [{ max_price: { prompt: 0.00000001 } }, 'provider.max_price.prompt'],
    [{ max_price: { image: 1 } }, 'provider.max_price.image'],
  ])('%j is a 400 that names the member', async (wanted, param) => {
    const customer = await harness.createCustomer({ usd: '1' });
    const { status, answer } = await ask(customer, { model: 'test/spread', messages: hello, provider: wanted });
    expect({ status, code: answer.error?.code, param: answer.error?.param }).toEqual({
      status: 400,
      code: 'invalid_parameter',
      param,
    });
  });

  test('without fallbacks no other deployment is tried', async () => {
    const customer = await harness.createCustomer({ usd: '1' });
    for (const model of Object.keys(deployments)) provider.on(model, failWith(400, 'no'));
    provider.on('at-local', failWith(503, 'broken'));
    const before = provider.requests.length;
    const wanted = { order: ['local'], allow_fallbacks: false };
    const { status } = await ask(customer, { model: 'test/spread', messages: hello, provider: wanted });
    expect(status).toBe(502);
    const asked = new Set(provider.requests.slice(before).map(({ body }) => body.model));
    expect([...asked]).toEqual(['at-local']);
  });

  test('a model that costs more than the highest price is left out', async () => {
    const customer = await harness.createCustomer({ usd: '1' });
    for (const id of modelIds) provider.on(upstreamOf(id), answers);
    const body = { models: ['test/dear', 'test/long', 'test/cheap'], messages: hello };
    const withMax = (max: object) => ask(customer, { ...body, provider: { max_price: max } });
    expect((await withMax({ prompt: 8, completion: '16' })).answer.model).toBe('test/dear');
    expect((await withMax({ completion: 4 })).answer.model).toBe('test/long');
    expect((await withMax({ prompt: '1.000000', completion: 3.5 })).answer.model).toBe('test/cheap');
    const refused = await withMax({ prompt: 0.5 });
    expect(refused.answer.error?.message).toBe(
      "No provider of 'test/dear', 'test/long', 'test/cheap' fits: max_price.prompt=0.5 (request) excludes 'test/dear' at 8, " +
        "'test/long' at 1, 'test/cheap' at 1.",
    );
  });
});

test('no protocol passes the parameters on, and null and defaults mean nothing', async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  const before = provider.requests.length;
  for (const name of ['messages', 'gemini', 'responses', 'cluster']) {
    provider.on('any', failWith(400, 'seen'));
    const body = { model: `test/${name}`, models: null, provider: { zdr: false, sort: 'price' } };
    const [path, rest] =
      name === 'responses' ? ['responses', { input: 'Hello?' }] : ['chat/completions', { messages: hello }];
    const { answer } = await ask(customer, { ...body, ...rest }, path);
    expect(answer.error?.code).toBe('upstream_rejected_request');
  }
  const sent = provider.requests.slice(before);
  expect(sent).toHaveLength(4);
  for (const { body } of sent) {
    expect(Object.keys(body)).not.toContain('provider');
    expect(Object.keys(body)).not.toContain('models');
  }
});
