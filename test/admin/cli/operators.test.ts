/** What operators do at the command line besides money and keys, each action with an audit entry. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { applyCharges } from '../../../admin/ledger/charges/apply-charges.ts';
import { queueMail } from '../../../admin/mail/queue/queue-mail.ts';
import { writeHealth } from '../../../shared/health/deployment-health.ts';
import { noUnits } from '../../../shared/usage/billable-units.ts';
import type { Customer } from '../../harness/customers.ts';
import { noLimits } from '../../harness/no-limits.ts';
import { imageCatalogue } from '../../harness/providers/images.ts';
import { testCatalogue } from '../../harness/providers/test-catalogue.ts';
import { type Harness, startHarness } from '../../harness.ts';
import type {
  AccountDetail,
  AccountList,
  AuditList,
  Catalogue,
  CreatedKey,
  Health,
  MailList,
} from '../api/response-types.ts';
import { chargeOf } from '../ledger/ledger.ts';
import { type Gateway, gatewayOf } from './run-gateway.ts';

let harness: Harness;
let gateway: Gateway;
let customer: Customer;
beforeAll(async () => {
  harness = await startHarness();
  gateway = gatewayOf(harness);
  customer = await harness.createCustomer({ usd: '5' });
});
afterAll(() => harness.stop());

const withoutRedis = { environment: { REDIS_URL: 'redis://127.0.0.1:1' } };
const run = <Json>(...args: string[]) => gateway<Json>([...args, '--json']);
const me = `cli:${Bun.spawnSync(['id', '-un']).stdout.toString().trim()}`;
const newestEntry = async () => (await run<AuditList>('audit', '--limit', '1')).json.entries[0];
const activeInRedis = async ({ proxyKeyId }: Customer) => {
  const [row] = await harness.database.sql`SELECT hash FROM api_keys WHERE id = ${proxyKeyId}`;
  const [name = ''] = await harness.redis.keys(`*:key:${row?.hash}`);
  return harness.redis.hget(name, 'active');
};

test('the columns of a list are aligned on a terminal', async () => {
  let shown = '';
  const ended = Promise.withResolvers<void>();
  const child = Bun.spawn([process.execPath, 'admin/cli/main.ts', 'key', 'list', '--email', customer.email], {
    cwd: join(import.meta.dir, '../../..'),
    env: { DATABASE_URL: harness.databaseUrl },
    terminal: {
      data: (_, bytes) => {
        shown += new TextDecoder().decode(bytes);
      },
      exit: () => ended.resolve(),
    },
  });
  expect(await child.exited).toBe(0);
  await ended.promise;
  const [headings = '', proxyKey = '', billingKey = ''] = shown.split('\r\n');
  expect(headings).toMatch(/^KEY +KIND +PREFIX +STATE +EXPIRES +NAME$/);
  for (const line of [proxyKey, billingKey]) {
    expect(line.indexOf('active')).toBe(headings.indexOf('STATE'));
    expect(line.indexOf('never')).toBe(headings.indexOf('EXPIRES'));
  }
  expect(proxyKey.indexOf('proxy')).toBe(billingKey.indexOf('billing'));
});

describe('gateway account', () => {
  test('searches and shows accounts, for people and for programs', async () => {
    const found = await run<AccountList>('account', 'search', customer.email.slice(0, 20));
    expect(found.exitCode).toBe(0);
    expect(found.json.accounts).toMatchObject([{ id: customer.accountId, email: customer.email, balance: '5' }]);
    const none = await gateway(['account', 'search', 'nobody at all']);
    expect(none).toMatchObject({ exitCode: 0, out: 'No account matches.\n' });

    const byEmail = await run('account', 'show', '--email', customer.email);
    const byId = await run('account', 'show', '--account', String(customer.accountId));
    expect(byId.json).toEqual(byEmail.json);
    expect(byId.json).toMatchObject({ balance: '5', wallet: { available: '5' }, keys: [{ kind: 'proxy' }, {}] });
    const { out } = await gateway(['account', 'show', '--email', customer.email]);
    expect(out).toContain('Balance    $5 (credited $5, spent $0)');
  });

  test('blocks and unblocks with effect when the command ends', async () => {
    const args = ['--email', customer.email, '--reason', 'chargeback'];
    const blocked = await run<AccountDetail>('account', 'block', ...args);
    expect(blocked).toMatchObject({ exitCode: 0, json: { id: customer.accountId } });
    expect(Date.parse(String(blocked.json.blockedAt))).toBeGreaterThan(0);
    expect(await activeInRedis(customer)).toBe('0');
    expect((await run<AccountList>('account', 'search', '--blocked')).json.accounts).toHaveLength(1);
    expect(await newestEntry()).toMatchObject({
      actor: me,
      userId: null,
      address: hostname(),
      requestId: null,
      action: 'account.block',
      subject: `account ${customer.accountId}`,
      reason: 'chargeback',
      before: { blockedAt: null },
      after: { blockedAt: blocked.json.blockedAt },
    });
    expect((await run<AccountDetail>('account', 'unblock', ...args)).json.blockedAt).toBeNull();
    expect(await activeInRedis(customer)).toBe('1');
  });

  test('records changes without Redis, and admin makes them effective', async () => {
    const other = await harness.createCustomer({ usd: '0' });
    const args = ['account', 'block', '--email', other.email, '--reason', 'x'];
    const { exitCode, out } = await gateway(args, withoutRedis);
    expect(exitCode).toBe(0);
    expect(out).toContain('the running admin will deliver it');
    expect(await activeInRedis(other)).toBe('1');
    const admin = await harness.openAdmin();
    const until = Date.now() + 15_000;
    while ((await activeInRedis(other)) !== '0' && Date.now() < until) await Bun.sleep(20);
    expect(await activeInRedis(other)).toBe('0');
    await admin.stop();
  });

  test('logs the host, the system user, whatever USER says, and the user of sudo', async () => {
    for (const [environment, actor, requests] of [
      [{ USER: 'mallory', LOGNAME: 'mallory' }, me, 7],
      [{ SUDO_USER: 'ada' }, userInfo().uid === 0 ? 'cli:ada as root' : me, 8],
    ] as const) {
      const args = ['account', 'limits', '--email', customer.email, '--requests-per-minute', `${requests}`];
      expect((await gateway(args, { environment: { PATH: process.env.PATH, ...environment } })).exitCode).toBe(0);
      expect(await newestEntry()).toMatchObject({
        actor,
        address: hostname(),
        after: { requestsPerMinute: requests },
      });
    }
    const { out } = await gateway(['audit', '--limit', '1']);
    expect(out).toMatch(new RegExp(`\\tcli:[^\\t]+\\t${hostname()}\\taccount\\.limits\\t`));
  });

  test('changes only the given limits', async () => {
    const limits = ['account', 'limits', '--account', String(customer.accountId)];
    const first = await run<AccountDetail>(...limits, '--requests-per-minute', '60', '--concurrent-streams', '0');
    expect(first.json.limits).toEqual({ ...noLimits.rateLimits, requestsPerMinute: 60, concurrentStreams: 0 });
    const second = await run<AccountDetail>(...limits, '--requests-per-minute', 'default', '--reason', 'done');
    expect(second.json.limits).toEqual({ ...noLimits.rateLimits, concurrentStreams: 0 });
    expect(await newestEntry()).toMatchObject({
      action: 'account.limits',
      reason: 'done',
      before: { requestsPerMinute: 60 },
    });
  });

  test.each([
    ['no account', ['account', 'show'], 2, 'usage'],
    ['two accounts', ['account', 'show', '--account', '1', '--email', 'a@b.co'], 2, 'usage'],
    ['no number', ['account', 'show', '--account', 'x'], 2, 'usage'],
    ['an unknown account', ['account', 'show', '--account', '999999999'], 1, 'not_found'],
    ['an unknown user', ['account', 'show', '--email', 'a@b.co'], 1, 'not_found'],
    ['no reason', ['account', 'block', '--account', '1'], 2, 'usage'],
    ['an empty reason', ['account', 'block', '--account', '1', '--reason', ' '], 1, 'invalid_parameter'],
    ['no limit', ['account', 'limits', '--account', '1'], 2, 'usage'],
    ['a wrong limit', ['account', 'limits', '--account', '1', '--tokens-per-minute', '-1'], 2, 'usage'],
    ['too long a list', ['account', 'search', '--limit', '1001'], 2, 'usage'],
    ['an unknown action', ['audit', '--action', 'account.steal'], 2, 'usage'],
    ['an unknown state', ['mail', 'list', '--state', 'lost'], 2, 'usage'],
    ['an unknown mail', ['mail', 'resend', '--id', '999'], 1, 'not_found'],
    ['a request that was never charged', ['receipt', '01945b2e-7c1a-7d3e-8f10-2b3c4d5e6f70'], 1, 'not_found'],
    ['no request id', ['receipt', 'x'], 1, 'invalid_parameter'],
    ['an unknown model', ['catalogue', 'history', 'none'], 1, 'model_not_found'],
  ])('refuses %s', async (_, args, exitCode, code) => {
    const refused = await run(...args);
    expect({ exitCode: refused.exitCode, code: refused.error?.code }).toEqual({ exitCode, code });
  });
});

test('changes of money, users, keys and catalogues are audited, and repetitions are not', async () => {
  const email = `${crypto.randomUUID()}@example.com`;
  const made = await gateway(['user', 'create', '--email', email, '--password', 'three-quiet-otters-sing']);
  expect(made.exitCode).toBe(0);
  const money = ['--email', email, '--usd', '3', '--reason', 'Invoice 9', '--idempotency-key', crypto.randomUUID()];
  const first = await run('credit', ...money);
  expect((await run('credit', ...money)).json).toEqual(first.json);
  await run('refund', ...money.slice(0, -1), crypto.randomUUID());
  const key = await run<CreatedKey>('key', 'create', '--email', email, '--name', 'ci');
  await run('key', 'revoke', '--id', String(key.json.id));
  await run('billing-key', 'create', '--email', email, '--name', 'dashboard');
  const { json } = await run<AuditList>('audit', '--email', email);
  const entries = json.entries.map((entry) => [entry.action, entry.actor]);
  expect(entries).toEqual(
    ['billing_key.create', 'key.revoke', 'key.create', 'refund.book', 'payment.book', 'user.create'].map((action) => [
      action,
      me,
    ]),
  );
  expect(json.entries[4]).toMatchObject({ before: { balance: '0' }, after: { balance: '3', amount: '3' } });
  // The log contains no key and no password.
  expect(JSON.stringify(json)).not.toContain(key.json.key);
  expect(JSON.stringify(json)).not.toContain('otters');
  const people = await gateway(['audit', '--email', email, '--limit', '1']);
  expect(people.out).toStartWith('AT\tACTOR\tFROM\tACTION\tSUBJECT\tREASON\n');
  expect(people.out).toContain(`${me}\t${hostname()}\tbilling_key.create\tkey `);
});

test('the catalogue commands schedule, scheduled, cancel and history work', async () => {
  const path = join(harness.directory, 'later.yaml');
  await Bun.write(path, testCatalogue('http://127.0.0.1:9/v1'));
  expect((await run('catalogue', 'apply', path)).exitCode).toBe(0);
  const at = new Date(Date.now() + 3_600_000).toISOString();
  const scheduled = await run<{ id: number; effectiveFrom: string }>('catalogue', 'schedule', path, '--at', at);
  const { id } = scheduled.json;
  expect({ exitCode: scheduled.exitCode, json: scheduled.json }).toEqual({
    exitCode: 0,
    json: { id: expect.any(Number), effectiveFrom: at },
  });
  expect((await run<Catalogue>('catalogue', 'scheduled')).json.scheduled).toMatchObject([{ id, effectiveFrom: at }]);
  expect((await run('catalogue', 'cancel', '--id', String(id))).exitCode).toBe(0);
  expect((await run('catalogue', 'cancel', '--id', String(id))).error?.code).toBe('not_found');
  expect((await run('catalogue', 'scheduled')).json).toEqual({ scheduled: [] });
  const past = await run('catalogue', 'schedule', path, '--at', '2020-01-01T00:00:00Z');
  expect(past.error?.code).toBe('invalid_parameter');
  const { json } = await run('catalogue', 'history', 'test/chat');
  expect(json).toMatchObject({ model: 'test/chat', prices: [{ markup: '1.2', listed: { prompt: '0.6' } }] });
  const { json: trace } = await run<AuditList>('audit', '--limit', '3');
  expect(trace.entries.map(({ action }) => action)).toEqual([
    'catalogue.cancel',
    'catalogue.schedule',
    'catalogue.apply',
  ]);
});

test('receipt explains the charge', async () => {
  const [price] = await harness.database.sql`SELECT version FROM model_prices WHERE model = 'test/chat'`;
  const charge = chargeOf(customer.accountId, { keyId: customer.proxyKeyId, costNano: 10_800n });
  const detail = { ...charge.detail, priceVersion: Number(price?.version) };
  await applyCharges(harness.database.sql, [{ ...charge, detail }]);
  const { exitCode, json } = await run('receipt', charge.requestId);
  expect(exitCode).toBe(0);
  expect(json).toMatchObject({ accountId: customer.accountId, charged: '0.0000108', markup: '1.2' });
  const { out } = await gateway(['receipt', charge.requestId]);
  expect(out).toContain('completion   3 × $1.8 per million = $0.0000054');
  expect(out).toContain('Exact $0.0000108 + rounding $0 = $0.0000108; uncharged $0');
});

test('the history and the receipt show the prices of images', async () => {
  const path = join(harness.directory, 'images.yaml');
  await Bun.write(path, imageCatalogue('http://127.0.0.1:9/v1'));
  expect((await run('catalogue', 'apply', path)).exitCode).toBe(0);
  const history = await gateway(['catalogue', 'history', 'test/one-size']);
  expect(history.out).toContain('512x512/low $0.0024 (of $0.002)');
  const [price] = await harness.database.sql`SELECT version FROM model_prices WHERE model = 'test/one-size'`;
  const charge = chargeOf(customer.accountId, { keyId: customer.proxyKeyId, costNano: 7_200_000n });
  const images = { model: 'test/one-size', images: 3, variant: '512x512/low', priceVersion: Number(price?.version) };
  await applyCharges(harness.database.sql, [{ ...charge, detail: { ...charge.detail, ...noUnits, ...images } }]);
  const { out } = await gateway(['receipt', charge.requestId]);
  expect(out).toContain('images       3 × $0.0024 for 512x512/low = $0.0072');
});

test('the mail commands list and resend work', async () => {
  const id = await queueMail(harness.database.db, {
    accountId: 1,
    to: 'ada@example.com',
    language: 'en',
    kind: 'test',
    data: { requestedAt: '2030-01-01T00:00:00Z' },
  });
  await harness.database.sql`UPDATE mails SET state = 'failed' WHERE id = ${id ?? 0}`;
  expect((await run<MailList>('mail', 'list', '--state', 'failed')).json.mails).toMatchObject([
    { id, recipient: 'ada@example.com' },
  ]);
  expect((await run('mail', 'resend', '--id', String(id))).json).toEqual({ id });
  expect((await run('mail', 'resend', '--id', String(id))).error?.code).toBe('mail_not_resendable');
  expect(await newestEntry()).toMatchObject({ action: 'mail.resend', subject: `mail ${id}` });
});

test('the health and lag commands work', async () => {
  expect((await gateway(['health'])).out).toBe('No proxy is running.\n');
  const deployment = {
    deployment: 'openai/gpt-4o-mini',
    state: 'closed',
    requests: 3,
    failures: 1,
    meanLatencyMs: 40,
    lastFailure: null,
    readyAtMs: null,
  } as const;
  const readyAtMs = Date.now() + 60_000;
  const broken = { ...deployment, deployment: 'openai/gpt-4o', state: 'open', meanLatencyMs: null, readyAtMs } as const;
  await writeHealth(harness.redis, { replica: 'one', writtenAtMs: Date.now(), deployments: [deployment, broken] });
  expect((await run<Health>('health')).json.replicas).toMatchObject([
    { replica: 'one', deployments: [{ state: 'closed', failures: 1 }, { state: 'open' }] },
  ]);
  expect((await gateway(['health'])).out.split('\n')).toEqual([
    'PROXY\tDEPLOYMENT\tSTATE\tREQUESTS\tFAILED\tLATENCY\tLAST FAILURE',
    'one\topenai/gpt-4o-mini\tup\t3\t1\t40 ms',
    `one\topenai/gpt-4o\topen until ${new Date(readyAtMs).toISOString()}\t3\t1`,
    '',
  ]);
  const { json } = await run('lag');
  expect(json).toMatchObject({ usage: { entries: 0, shards: [] }, outbox: { entries: 0 }, rejectedUsage: 0 });
  const away = await gateway(['lag', '--json'], withoutRedis);
  expect(away.exitCode).toBe(1);
});
