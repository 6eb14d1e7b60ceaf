/** What operators see of the running gateway: deployments, queues, mails, receipts, and the audit log. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import { queueMail } from '../../../../admin/mail/queue/queue-mail.ts';
import { writeHealth } from '../../../../shared/health/deployment-health.ts';
import { testPassword } from '../../../harness/customers.ts';
import { testCatalogue } from '../../../harness/providers/test-catalogue.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { chargeOf } from '../../ledger/ledger.ts';
import type { AuditList, Lag, MailList } from '../response-types.ts';
import { type Api, createOperator, logIn, type Operator, startApi } from '../start-api.ts';

let harness: Harness;
let api: Api;
let operator: Operator;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
  operator = await createOperator(harness, api);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

const ask = <Body>(method: string, path: string, of: Api = api) =>
  of.call<Body>(method, `/api/operator${path}`, { token: operator.token });

test('the health list has what each running proxy has written, and no entry of stopped proxies', async () => {
  const now = Date.now();
  const deployment = {
    deployment: 'openai/gpt-4o-mini',
    state: 'open',
    requests: 9,
    failures: 4,
    meanLatencyMs: null,
    lastFailure: { reason: 'status 503', atMs: now - 1_000 },
    readyAtMs: now + 5_000,
  } as const;
  await writeHealth(harness.redis, { replica: 'here', writtenAtMs: now, deployments: [deployment] });
  await writeHealth(harness.redis, { replica: 'gone', writtenAtMs: now - 3_600_000, deployments: [] });
  const { status, body } = await ask('GET', '/health');
  expect(status).toBe(200);
  expect(body).toEqual({
    replicas: [
      {
        replica: 'here',
        writtenAt: new Date(now).toISOString(),
        deployments: [
          {
            deployment: 'openai/gpt-4o-mini',
            state: 'open',
            requests: 9,
            failures: 4,
            meanLatencyMs: null,
            lastFailure: { reason: 'status 503', at: new Date(now - 1_000).toISOString() },
            readyAt: new Date(now + 5_000).toISOString(),
          },
        ],
      },
    ],
  });
});

test('the lag shows how much is waiting and since when', async () => {
  const nothing = { entries: 0, oldestAt: null };
  const empty = { outbox: nothing, mails: nothing, failedMails: 0, rejectedUsage: 0 };
  expect((await ask('GET', '/lag')).body).toEqual({ usage: { ...nothing, shards: [] }, ...empty });

  await harness.redis.xadd('{s3}:usage', '1900000000000-0', 'kind', 'charge');
  await harness.redis.xadd('{s3}:usage', '1900000000500-0', 'kind', 'charge');
  await harness.redis.xadd('{s9}:usage', '1800000000000-0', 'kind', 'charge');
  await harness.database.sql`
    INSERT INTO outbox (topic, account_id, key_id, created_at) VALUES ('key', 1, 1, '2030-01-01T00:00:00Z')`;
  const { body } = await ask<Lag>('GET', '/lag');
  const at = (ms: number) => new Date(ms).toISOString();
  expect(body.usage).toEqual({
    entries: 3,
    oldestAt: at(1_800_000_000_000),
    shards: [
      { shard: 3, entries: 2, oldestAt: at(1_900_000_000_000) },
      { shard: 9, entries: 1, oldestAt: at(1_800_000_000_000) },
    ],
  });
  expect(body.outbox).toEqual({ entries: 1, oldestAt: '2030-01-01T00:00:00.000Z' });
  await harness.redis.del('{s3}:usage', '{s9}:usage');
});

test('data that only Redis has returns 503 without Redis', async () => {
  const withoutRedis = await startApi(harness, { environment: { REDIS_URL: 'redis://127.0.0.1:1' } });
  for (const path of ['/health', '/lag']) {
    const { status, error, headers } = await ask('GET', path, withoutRedis);
    expect({ path, status, code: error?.code }).toEqual({ path, status: 503, code: 'wallet_unavailable' });
    expect(headers.get('retry-after')).toBe('5');
  }
  await withoutRedis.stop();
});

describe("the operators' list of mails", () => {
  const queue = async () =>
    (await queueMail(harness.database.db, {
      accountId: 1,
      to: 'ada@example.com',
      language: 'en',
      kind: 'test',
      data: { requestedAt: '2030-01-01T00:00:00Z' },
    })) ?? 0;
  const fail = (id: number) =>
    harness.database.sql`UPDATE mails SET state = 'failed', last_error = '550 no such user' WHERE id = ${id}`;

  test('has a failed mail without its content, which can be resent once', async () => {
    const [failed, queued] = [await queue(), await queue()];
    await fail(failed);
    const { body } = await ask<MailList>('GET', '/mails?state=failed');
    expect(body.mails).toMatchObject([{ id: failed, recipient: 'ada@example.com', lastError: '550 no such user' }]);
    expect(body.mails[0]).not.toHaveProperty('data');
    expect((await ask('GET', '/lag')).body).toMatchObject({ failedMails: 1, mails: { entries: 1 } });

    expect((await ask('POST', `/mails/${failed}/resend`)).status).toBe(204);
    for (const id of [failed, queued]) {
      const { status, error } = await ask('POST', `/mails/${id}/resend`);
      expect({ status, code: error?.code }).toEqual({ status: 409, code: 'mail_not_resendable' });
    }
    expect((await ask('POST', '/mails/999999999/resend')).status).toBe(404);
    const { body: audit } = await ask<AuditList>('GET', '/audit?action=mail.resend');
    expect(audit.entries).toMatchObject([
      { subject: `mail ${failed}`, before: { state: 'failed' }, after: { state: 'queued' } },
    ]);
  });

  test('has pages that neither overlap nor leave gaps', async () => {
    for (let n = 0; n < 4; n += 1) await queue();
    const all = (await ask<MailList>('GET', '/mails')).body.mails.map(({ id }) => id);
    const first = (await ask<MailList>('GET', '/mails?limit=2')).body.mails.map(({ id }) => id);
    const rest = (await ask<MailList>('GET', `/mails?beforeId=${first[1]}`)).body.mails.map(({ id }) => id);
    expect([...first, ...rest]).toEqual(all);
  });

  test.each(['state=lost', 'limit=0', 'beforeId=0'])('returns 400 for %s', async (query) => {
    expect((await ask('GET', `/mails?${query}`)).status).toBe(400);
  });
});

test('operators can read any receipt, including the provider’s prices and the markup', async () => {
  await harness.applyCatalogue(testCatalogue('http://127.0.0.1:9/v1'));
  const [price] = await harness.database.sql`SELECT version FROM model_prices WHERE model = 'test/chat'`;
  const customer = await harness.createCustomer({ usd: '1' });
  const charge = chargeOf(customer.accountId, { keyId: customer.proxyKeyId, costNano: 10_800n, walletSeq: 4 });
  const detail = { ...charge.detail, priceVersion: Number(price?.version) };
  await applyCharges(harness.database.sql, [{ ...charge, detail }]);
  const { status, body } = await ask('GET', `/requests/${charge.requestId}`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    accountId: customer.accountId,
    markup: '1.2',
    providerPrices: { prompt: '0.5', completion: '1.5' },
    price: { perMillionTokens: { prompt: '0.6', completion: '1.8' } },
    charged: '0.0000108',
    walletEpoch: 1,
    walletSeq: 4,
  });
  const token = await logIn(api, customer.email, testPassword);
  const { body: own } = await api.call('GET', `/api/requests/${charge.requestId}`, { token });
  for (const secret of ['accountId', 'markup', 'providerPrices', 'walletEpoch', 'walletSeq']) {
    expect(own).not.toHaveProperty(secret);
  }
  expect((await ask('GET', `/requests/${Bun.randomUUIDv7()}`)).status).toBe(404);
});

describe('the audit log', () => {
  test('can be filtered by actor, action, account and time, newest first', async () => {
    const { accountId } = await harness.createCustomer({ usd: '0' });
    const reason = { reason: 'test' };
    for (const verb of ['block', 'unblock']) {
      await api.call('POST', `/api/operator/accounts/${accountId}/${verb}`, { token: operator.token, body: reason });
    }
    const actions = async (query: string) => {
      const { body } = await ask<AuditList>('GET', `/audit?${query}`);
      return body.entries.map(({ action }) => action);
    };
    const mine = `accountId=${accountId}`;
    expect(await actions(mine)).toEqual(['account.unblock', 'account.block']);
    expect(await actions(`${mine}&action=account.block`)).toEqual(['account.block']);
    expect(await actions(`${mine}&actor=${operator.email}`)).toHaveLength(2);
    expect(await actions(`${mine}&actor=cli:nobody`)).toEqual([]);
    const { body } = await ask<AuditList>('GET', `/audit?${mine}`);
    const [newest] = body.entries;
    expect(await actions(`${mine}&beforeId=${newest?.id}`)).toEqual(['account.block']);
    expect(await actions(`${mine}&to=${newest?.at}`)).toEqual(['account.block']);
    expect(await actions(`${mine}&from=2090-01-01T00:00:00Z`)).toEqual([]);
  });

  test.each(['action=account.steal', 'action=accountXblock', 'accountId=x', 'from=now', 'limit=101', 'actor='])(
    'returns 400 for %s',
    async (query) => {
      const { status, error } = await ask<AuditList>('GET', `/audit?${query}`);
      expect({ status, param: error?.param }).toEqual({ status: 400, param: query.split('=')[0] ?? '' });
    },
  );
});
