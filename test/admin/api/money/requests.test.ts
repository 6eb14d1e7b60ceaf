/** Receipts and the list of charged requests are exact, complete, ordered and private. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { pricesLike } from '../../../../admin/api/fields/money.ts';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import type { Charge } from '../../../../admin/ledger/charges/read-usage-entry.ts';
import { formatUsd, nanoUsd } from '../../../../shared/money.ts';
import { noUnits } from '../../../../shared/usage/billable-units.ts';
import { type Customer, testPassword } from '../../../harness/customers.ts';
import { testCatalogue } from '../../../harness/providers/test-catalogue.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { chargeOf } from '../../ledger/ledger.ts';
import type { CreatedKey, Receipt, RequestList, TransactionList } from '../response-types.ts';
import { type Api, logIn, startApi } from '../start-api.ts';

let harness: Harness;
let api: Api;
let priceVersion: number;
beforeAll(async () => {
  harness = await startHarness();
  await harness.applyCatalogue(testCatalogue('http://127.0.0.1:9/v1'));
  const [price] = await harness.database.sql`SELECT version FROM model_prices WHERE model = 'test/chat'`;
  priceVersion = Number(price?.version);
  api = await startApi(harness);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

type Caller = Customer & { token: string };

async function newCustomer(usd = '10'): Promise<Caller> {
  const customer = await harness.createCustomer({ usd });
  return { ...customer, token: await logIn(api, customer.email, testPassword) };
}

/** 3 prompt tokens, 1 of them cached, and 5 completion tokens, 2 of them reasoning: 1.8 + 9 micro-dollars. */
function chargeFor({ accountId, proxyKeyId }: Customer, change: Partial<Charge> = {}): Charge {
  const charge = chargeOf(accountId, { keyId: proxyKeyId, costNano: 10_800n, ...change });
  return { ...charge, detail: { ...charge.detail, priceVersion, ...change.detail } };
}

const book = (...charges: Charge[]) => applyCharges(harness.database.sql, charges);
const receiptOf = (token: string, requestId: string) =>
  api.call<Receipt>('GET', `/api/requests/${requestId}`, { token });
const at = (text: string) => new Date(text);

describe('GET /api/requests/{requestId}', () => {
  test('returns tokens, prices, parts, transaction and the balance after it', async () => {
    const customer = await newCustomer();
    const charge = chargeFor(customer);
    await book(charge);
    const { status, body } = await receiptOf(customer.token, charge.requestId);
    expect(status).toBe(200);
    const part = (name: string, tokens: number, perMillionTokens: string, amount: string) => ({
      class: name,
      tokens,
      perMillionTokens,
      amount,
    });
    expect(body).toEqual({
      requestId: charge.requestId,
      model: 'test/chat',
      key: { id: customer.proxyKeyId, name: 'test', prefix: customer.proxyKey.slice(0, 11) },
      project: null,
      user: null,
      metadata: {},
      startedAt: new Date(charge.detail.startedAtMs).toISOString(),
      chargedAt: charge.chargedAt.toISOString(),
      estimated: false,
      final: true,
      ...{ ...noUnits, promptTokens: 3, cachedPromptTokens: 1, completionTokens: 5, reasoningTokens: 2 },
      charged: '0.0000108',
      repeats: null,
      price: {
        version: priceVersion,
        effectiveFrom: expect.stringMatching(/^\d{4}-.*Z$/),
        perMillionTokens: pricesLike({ prompt: '0.6', completion: '1.8' }),
        perImage: [],
        perUnit: [],
        rates: [],
      },
      cost: {
        rate: null,
        parts: [
          part('prompt', 2, '0.6', '0.0000012'),
          part('cachedPrompt', 1, '0.6', '0.0000006'),
          ...['cacheWrite', 'cacheWrite1h', 'audioPrompt', 'imagePrompt'].map((name) => part(name, 0, '0.6', '0')),
          part('completion', 3, '1.8', '0.0000054'),
          part('reasoning', 2, '1.8', '0.0000036'),
          part('audioCompletion', 0, '1.8', '0'),
        ],
        images: null,
        units: [],
        exact: '0.0000108',
        rounding: '0',
        total: '0.0000108',
        uncharged: '0',
        charged: '0.0000108',
      },
      correctedFrom: null,
      transactions: [{ id: expect.any(Number), createdAt: charge.chargedAt.toISOString(), amount: '-0.0000108' }],
      balanceAfter: '9.9999892',
    });
    const { body: list } = await api.call<TransactionList>('GET', '/api/transactions', { token: customer.token });
    expect(list.transactions[0]).toMatchObject({ id: body.transactions[0]?.id });
  });

  test('returns a corrected estimate with both transactions', async () => {
    const customer = await newCustomer();
    const requestId = Bun.randomUUIDv7();
    const detail = { ...chargeOf(1).detail, priceVersion };
    const estimate = chargeFor(customer, {
      requestId,
      rank: 1,
      costNano: 5_400n,
      chargedAt: at('2030-01-01T00:00:00Z'),
      detail: { ...detail, cachedPromptTokens: 0, completionTokens: 2, reasoningTokens: 0, estimated: true },
    });
    await book(estimate);
    const first = (await receiptOf(customer.token, requestId)).body;
    expect(first).toMatchObject({ estimated: true, final: false, charged: '0.0000054', correctedFrom: null });

    const final = chargeFor(customer, { requestId, chargedAt: at('2030-01-01T00:02:00Z') });
    // Another request in between, so that the balance after it is not simply the current one.
    await book(chargeFor(customer, { chargedAt: at('2030-01-01T00:01:00Z') }));
    await book(final);
    await book(chargeFor(customer, { chargedAt: at('2030-01-01T00:03:00Z') }));
    const { body } = await receiptOf(customer.token, requestId);
    expect(body).toMatchObject({ estimated: false, final: true, charged: '0.0000108', balanceAfter: '9.9999784' });
    expect(body.correctedFrom).toEqual({
      chargedAt: '2030-01-01T00:00:00.000Z',
      ...{ ...noUnits, promptTokens: 3, cachedPromptTokens: 0, completionTokens: 2, reasoningTokens: 0 },
      charged: '0.0000054',
    });
    expect(body.transactions.map(({ amount }) => amount)).toEqual(['-0.0000054', '-0.0000054']);
  });

  test('returns the uncovered part, and the parts still add up', async () => {
    const customer = await newCustomer();
    const charge = chargeFor(customer, { costNano: 10_000n, unchargedNano: 800n });
    await book(charge);
    const { body } = await receiptOf(customer.token, charge.requestId);
    expect(body.cost).toMatchObject({
      exact: '0.0000108',
      total: '0.0000108',
      uncharged: '0.0000008',
      charged: '0.00001',
    });
  });

  test('returns no transaction and an unchanged balance for a request without cost', async () => {
    const customer = await newCustomer('3');
    const detail = { ...chargeOf(1).detail, ...noUnits, priceVersion };
    const charge = chargeFor(customer, { costNano: 0n, detail });
    await book(charge);
    const { body } = await receiptOf(customer.token, charge.requestId);
    expect(body).toMatchObject({ charged: '0', transactions: [], balanceAfter: '3' });
  });

  test('returns 404 for another customer’s request and for one that was never charged', async () => {
    const [mine, theirs] = [await newCustomer(), await newCustomer()];
    const charge = chargeFor(theirs);
    await book(charge);
    expect((await receiptOf(theirs.token, charge.requestId)).status).toBe(200);
    for (const requestId of [charge.requestId, Bun.randomUUIDv7()]) {
      const { status, error } = await receiptOf(mine.token, requestId);
      expect({ status, code: error?.code }).toEqual({ status: 404, code: 'not_found' });
    }
  });

  test.each(['1', 'x', '01945B2E-7C1A-7D3E-8F10-2B3C4D5E6F70', "' OR 1=1"])('returns 400 for the id %s', async (id) => {
    const { token } = await newCustomer('0');
    const { status, error } = await receiptOf(token, encodeURIComponent(id));
    expect(status).toBe(400);
    expect(error?.param).toBe('requestId');
  });
});

describe('GET /api/requests', () => {
  const list = (token: string, query = '') => api.call<RequestList>('GET', `/api/requests${query}`, { token });
  const idsOf = (body: RequestList) => body.requests.map(({ requestId }) => requestId);

  test('returns each of the account’s requests once, with its latest charge, newest first', async () => {
    const customer = await newCustomer();
    await book(chargeFor(await newCustomer()));
    const older = chargeFor(customer, { chargedAt: at('2030-01-01T00:00:00Z') });
    const estimate = chargeFor(customer, { rank: 1, costNano: 5n, chargedAt: at('2030-01-01T00:01:00Z') });
    const final = { ...chargeFor(customer, { chargedAt: at('2030-01-01T00:02:00Z') }), requestId: estimate.requestId };
    await book(older, estimate);
    await book(final);
    const { status, body } = await list(customer.token);
    expect(status).toBe(200);
    expect(idsOf(body)).toEqual([final.requestId, older.requestId]);
    expect(body.nextCursor).toBeNull();
    expect(body.requests[0]).toMatchObject({ charged: formatUsd(nanoUsd(final.costNano)), final: true });
    expect(body.requests[0]?.key).toEqual({
      id: customer.proxyKeyId,
      name: 'test',
      prefix: customer.proxyKey.slice(0, 11),
    });
  });

  test('returns pages of one instant that neither overlap nor leave gaps', async () => {
    const customer = await newCustomer();
    const chargedAt = at('2030-01-01T00:00:00Z');
    const charges = Array.from({ length: 25 }, () => chargeFor(customer, { chargedAt }));
    await book(...charges);
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body }: Awaited<ReturnType<typeof list>> = await list(
        customer.token,
        `?limit=7${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      seen.push(...idsOf(body));
      cursor = body.nextCursor;
    }
    expect(seen).toEqual(
      charges
        .map(({ requestId }) => requestId)
        .sort()
        .reverse(),
    );
  });

  test('filters by key, model and time', async () => {
    const customer = await newCustomer();
    const { token } = customer;
    const { body: other } = await api.call<CreatedKey>('POST', '/api/proxy-keys', { token, body: { name: 'other' } });
    const byOther = chargeFor(customer, { keyId: other.id, chargedAt: at('2030-01-01T00:00:00Z') });
    const byModel = chargeFor(customer, { chargedAt: at('2030-01-02T00:00:00Z') });
    const detail = { ...byModel.detail, model: 'test/failover' };
    await book(byOther, { ...byModel, detail });
    expect(idsOf((await list(token, `?keyId=${other.id}`)).body)).toEqual([byOther.requestId]);
    expect(idsOf((await list(token, '?model=test/failover')).body)).toEqual([byModel.requestId]);
    expect(idsOf((await list(token, '?from=2030-01-02T00:00:00Z')).body)).toEqual([byModel.requestId]);
    expect(idsOf((await list(token, '?to=2030-01-02T00:00:00Z')).body)).toEqual([byOther.requestId]);
    expect((await list(token, '?model=none')).body).toEqual({ requests: [], nextCursor: null });
  });

  test.each([
    ['limit', '0'],
    ['limit', '101'],
    ['cursor', 'x'],
    ['cursor', Buffer.from('9999999999999999_01945b2e-7c1a-7d3e-8f10-2b3c4d5e6f70').toString('base64url')],
    ['keyId', '0'],
    ['keyId', 'x'],
    ['model', ''],
    ['from', '2030-01'],
    ['to', 'now'],
  ])('returns 400 that names %s for "%s"', async (param, value) => {
    const { token } = await newCustomer('0');
    const { status, error } = await list(token, `?${param}=${value}`);
    expect(status).toBe(400);
    expect(error).toMatchObject({ code: 'invalid_parameter', param });
  });
});
