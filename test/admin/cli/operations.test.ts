/** What operators do for the gateway: schema, catalogue, diagnosis; and how the command line handles mistakes. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { writeEnvironmentFile } from '../../../local/data/local-file.ts';
import { startRedis } from '../../../local/servers/redis.ts';
import { type Harness, startHarness } from '../../harness.ts';
import type { Applied } from '../api/response-types.ts';
import { type Gateway, gatewayOf, gatewayProcessOf, runTogether } from './run-gateway.ts';

let harness: Harness;
let gateway: Gateway;
beforeAll(async () => {
  harness = await startHarness();
  gateway = gatewayOf(harness);
});
afterAll(() => harness.stop());

const catalogue = (price: string) => `
providers:
  - { id: demo, protocol: openai, baseUrl: "http://127.0.0.1:9/v1", apiKeyEnv: DEMO_API_KEY }
models:
  - id: demo-chat
    kind: chat
    ownedBy: demo
    contextTokens: 8000
    maxOutputTokens: 1000
    price: { prompt: "${price}", completion: "0.60" }
    deployments: [{ provider: demo, model: demo-chat }]
`;

async function file(name: string, text: string): Promise<string> {
  const path = join(harness.directory, name);
  await Bun.write(path, text);
  return path;
}

async function emptyDatabase(): Promise<string> {
  const name = `empty_${crypto.randomUUID().replaceAll('-', '')}`;
  await harness.database.sql.unsafe(`CREATE DATABASE ${name}`);
  const url = new URL(harness.databaseUrl);
  url.pathname = `/${name}`;
  return url.href;
}

describe('gateway migrate', () => {
  test('migrates an empty database, once, even if called concurrently', async () => {
    const environment = { DATABASE_URL: await emptyDatabase() };
    const before = await gateway(['key', 'list', '--email', 'a@example.com', '--json'], { environment });
    expect(before.exitCode).toBe(1);
    expect(before.error?.code).toBe('schema_behind');
    const runs = await runTogether(
      harness,
      [1, 2, 3].map(() => ['migrate', '--json']),
      { environment },
    );
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    const again = await gateway(['migrate', '--json'], { environment });
    expect(again.json).toEqual({ applied: [] });
  });

  test('lets charges be booked as one row with --compact, unless an admin of version 0.1.0 is running', async () => {
    const environment = { DATABASE_URL: await emptyDatabase() };
    const migrate = (...options: string[]) => gateway(['migrate', ...options, '--json'], { environment });
    await migrate();
    const connection = { application_name: 'gateway-leases' };
    const former = postgres(environment.DATABASE_URL, { max: 1, connection });
    const own = postgres(environment.DATABASE_URL, { max: 1 });
    const isCompact = async () => (await own`SELECT compact FROM ledger_settings`)[0]?.compact;
    try {
      await own`UPDATE ledger_settings SET compact = false`;
      await former`SELECT 1`;
      const refused = await migrate('--compact');
      expect([refused.exitCode, refused.error?.code, await isCompact()]).toEqual([1, 'older_version_running', false]);
      await former.end();
      for (const text of ['from now on', 'as one row each.']) {
        const { out } = await gateway(['migrate', '--compact'], { environment });
        expect(out).toContain(text);
        expect(await isCompact()).toBe(true);
      }
      expect((await migrate()).json).toEqual({ applied: [] });
      expect(await isCompact()).toBe(true);
    } finally {
      await Promise.all([former.end(), own.end()]);
    }
  });

  test('is required by admin, which does not start on an older schema and says what to do', async () => {
    const DATABASE_URL = await emptyDatabase();
    await expect(harness.openAdmin({ DATABASE_URL })).rejects.toThrow('gateway migrate');
  });
});

describe('gateway catalogue', () => {
  test('validates without configuration', async () => {
    const path = await file('good.yaml', catalogue('0.15'));
    const environment = { DATABASE_URL: '', REDIS_URL: '', KEY_PEPPER: '' };
    const { exitCode, json } = await gateway(['catalogue', 'validate', path, '--json'], { environment });
    expect(exitCode).toBe(0);
    expect(json).toEqual({ ok: true, models: 1, providers: 1 });
  });

  test('changes nothing for an invalid file, and names every mistake', async () => {
    const path = await file('bad.yaml', catalogue('free').replace('kind: chat', 'kind: chitchat'));
    for (const command of ['validate', 'apply']) {
      const { exitCode, error } = await gateway(['catalogue', command, path, '--json']);
      expect(exitCode).toBe(1);
      expect(error?.code).toBe('invalid_catalogue');
      expect(error?.problems).toHaveLength(2);
    }
    const twice = await file('twice.yaml', `${catalogue('0.15')}providers: []\n`);
    const { exitCode, problem } = await gateway(['catalogue', 'apply', twice]);
    expect(exitCode).toBe(1);
    expect(problem).toContain('line 12: providers appears twice in one mapping');
    expect((await harness.database.sql`SELECT FROM catalogue_versions`).length).toBe(0);
  });

  test('accepts a key only from a variable that is meant for providers', async () => {
    const other = await file('other-key.yaml', catalogue('0.15').replace('DEMO_API_KEY', 'DEMO_TOKEN'));
    const own = await file('own-key.yaml', catalogue('0.15').replace('DEMO_API_KEY', 'KEY_PEPPER'));
    const listed = { environment: { PROVIDER_KEYS: 'DEMO_TOKEN' } };
    const later = ['--at', '2090-01-01T00:00:00Z'];
    for (const [command, ...more] of [['validate'], ['apply'], ['schedule', ...later]]) {
      const run = (path: string, options = {}) =>
        gateway(['catalogue', command ?? '', path, ...more, '--json'], options);
      const problem = 'provider demo: apiKeyEnv DEMO_TOKEN neither ends in _API_KEY nor is listed in PROVIDER_KEYS';
      expect((await run(other)).error).toMatchObject({ code: 'invalid_catalogue', problems: [problem] });
      expect((await run(own, listed)).error).toMatchObject({ code: 'invalid_catalogue' });
    }
    expect((await gateway(['catalogue', 'validate', other, '--json'], listed)).exitCode).toBe(0);
    const environment = { PROVIDER_KEYS: 'KEY_PEPPER' };
    const ownVariable = await gateway(['catalogue', 'validate', own, '--json'], { environment });
    expect(ownVariable.error).toMatchObject({ code: 'configuration' });
  });

  test('ends with exit code 1 for a missing file', async () => {
    const { exitCode, error } = await gateway(['catalogue', 'validate', '/nowhere.yaml', '--json']);
    expect(exitCode).toBe(1);
    expect(error?.code).toBe('file_unreadable');
  });

  test('publishes with apply, and an export can be applied again without a change', async () => {
    const first = await gateway<Applied>(['catalogue', 'apply', await file('a.yaml', catalogue('0.15')), '--json']);
    expect(first).toMatchObject({ exitCode: 0, json: { models: 1, pricesChanged: 1, published: true } });
    const second = await gateway<Applied>(['catalogue', 'apply', await file('b.yaml', catalogue('0.30')), '--json']);
    expect(second.json).toMatchObject({ pricesChanged: 1 });
    expect(second.json.version).toBeGreaterThan(first.json.version);

    const path = join(harness.directory, 'exported.yaml');
    expect((await gateway(['catalogue', 'export', path])).exitCode).toBe(0);
    const printed = await gateway(['catalogue', 'export']);
    expect(printed.out).toBe(await Bun.file(path).text());
    expect(printed.out).toEndWith('\n');
    expect(printed.out).not.toEndWith('\n\n');
    expect((await gateway<Applied>(['catalogue', 'apply', path, '--json'])).json.pricesChanged).toBe(0);
  });

  test('names the models that a file removes, in validate and in apply', async () => {
    await gateway(['catalogue', 'apply', await file('d.yaml', catalogue('0.15'))]);
    const other = await file('e.yaml', catalogue('0.15').replace('id: demo-chat', 'id: other-chat'));
    const foreseen = await gateway(['catalogue', 'validate', other, '--json']);
    expect(foreseen.json).toEqual({ ok: true, models: 1, providers: 1, modelsRemoved: ['demo-chat'] });
    expect((await gateway(['catalogue', 'validate', other])).out).toEndWith(' It would remove: demo-chat.\n');
    const environment = { DATABASE_URL: 'postgres://127.0.0.1:1/x' };
    const unknown = await gateway(['catalogue', 'validate', other], { environment });
    expect(unknown).toMatchObject({ exitCode: 0, out: expect.stringContaining('Cannot check whether') });

    expect((await gateway(['catalogue', 'apply', other])).out).toContain(' Removed: demo-chat. ');
    const [entry] = await harness.database.sql`SELECT after FROM audit_entries ORDER BY id DESC LIMIT 1`;
    expect(entry?.after).toMatchObject({ modelsRemoved: ['demo-chat'] });
    const again = await gateway<Applied>(['catalogue', 'apply', other, '--json']);
    expect(again.json).toMatchObject({ modelsRemoved: [] });
  });
});

describe('gateway doctor', () => {
  const environment = () => ({ JWT_SECRET: harness.jwtSecret, DEMO_API_KEY: 'x', REDIS_URL: guardedRedisUrl });
  let guardedRedisUrl: string;
  beforeAll(async () => {
    await harness.redis.acl('SETUSER', 'operator', 'on', '>secret', 'allkeys', 'allchannels', 'allcommands');
    guardedRedisUrl = harness.redisUrl.replace('redis://', 'redis://operator:secret@');
  });
  interface Diagnosis {
    readonly ok: boolean;
    readonly checks: { check: string; detail: string; status: string; advice?: string }[];
  }
  const checkOf = (checks: Diagnosis['checks'], word: string) =>
    checks.find(({ check, detail }) => `${check} ${detail}`.includes(word))?.status;

  test('ends with exit code 0 if all is well', async () => {
    await gateway(['catalogue', 'apply', await file('c.yaml', catalogue('0.15'))]);
    const { exitCode, json, out } = await gateway<Diagnosis>(['doctor', '--json'], { environment: environment() });
    expect({ exitCode, out }).toMatchObject({ exitCode: 0 });
    expect(json.ok).toBe(true);
    expect(json.checks.every(({ status }) => status === 'ok')).toBe(true);
  });

  test('warns of a provider key that is not set here, because only the proxy needs it', async () => {
    const { exitCode, json } = await gateway<Diagnosis>(['doctor', '--json'], {
      environment: { ...environment(), DEMO_API_KEY: undefined },
    });
    expect(exitCode).toBe(0);
    expect(checkOf(json.checks, 'DEMO_API_KEY')).toBe('warn');
    expect(json.checks.find(({ status }) => status === 'warn')?.advice).toContain("the proxy's environment");
  });

  test('needs no key of a provider without models', async () => {
    const unused = '  - { id: spare, protocol: openai, baseUrl: "http://127.0.0.1:9/v1", apiKeyEnv: SPARE_API_KEY }\n';
    await gateway([
      'catalogue',
      'apply',
      await file('f.yaml', catalogue('0.15').replace('models:', `${unused}models:`)),
    ]);
    const { json } = await gateway<Diagnosis>(['doctor', '--json'], { environment: environment() });
    expect(checkOf(json.checks, 'DEMO_API_KEY')).toBe('ok');
    expect(checkOf(json.checks, 'SPARE_API_KEY')).toBeUndefined();
  });

  test('ends with exit code 1 and advice for a missing setting', async () => {
    const { exitCode, out } = await gateway(['doctor']);
    expect(exitCode).toBe(1);
    expect(out).toContain('✗ configuration: JWT_SECRET');
  });

  test('reports receipts whose VAT contradicts the seller, as admin does', async () => {
    const receipts = {
      SELLER_FILE: join(import.meta.dir, '../../../local/start/demo-seller.yaml'),
      ...{
        YOOKASSA_SHOP_ID: '1',
        YOOKASSA_SECRET_KEY: 'x',
        YOOKASSA_API_URL: 'http://127.0.0.1:9',
        YOOKASSA_VAT_CODE: '1',
      },
    };
    const problem = 'YOOKASSA_VAT_CODE is 1, but SELLER_FILE has a VAT of 22 %, whose code is 12';
    const { exitCode, out } = await gateway(['doctor'], { environment: { ...environment(), ...receipts } });
    expect(exitCode).toBe(1);
    expect(out).toContain(`✗ configuration: ${problem}`);
    await expect(harness.openAdmin(receipts)).rejects.toThrow(problem);
  });

  test('ends with exit code 1 for an empty database and for unreachable stores', async () => {
    const nowhere = { DATABASE_URL: 'postgres://127.0.0.1:1/x', REDIS_URL: 'redis://:secret@127.0.0.1:1' };
    const unreachable = await gateway<Diagnosis>(['doctor', '--json'], {
      environment: { ...environment(), ...nowhere },
    });
    expect(unreachable.exitCode).toBe(1);
    expect(checkOf(unreachable.json.checks, 'postgres')).toBe('fail');
    expect(checkOf(unreachable.json.checks, 'redis')).toBe('fail');
    const DATABASE_URL = await emptyDatabase();
    const empty = await gateway<Diagnosis>(['doctor', '--json'], { environment: { ...environment(), DATABASE_URL } });
    expect(empty.exitCode).toBe(1);
    expect(checkOf(empty.json.checks, 'schema')).toBe('fail');
  });

  test('fails for a Redis that may evict, and warns of one without persistence', async () => {
    const redis = await startRedis({ dataDir: join(harness.directory, 'forgetful'), appendOnly: false });
    await Bun.$`redis-cli -u ${redis.url} config set maxmemory-policy allkeys-lru`.quiet();
    const { exitCode, json } = await gateway<Diagnosis>(['doctor', '--json'], {
      environment: { ...environment(), REDIS_URL: redis.url },
    });
    await redis.stop();
    expect(exitCode).toBe(1);
    expect(checkOf(json.checks, 'allkeys-lru')).toBe('fail');
    expect(checkOf(json.checks, 'append-only')).toBe('warn');
  });
});

describe('a call of gateway', () => {
  test.each([
    ['no command', []],
    ['an unknown command', ['bogus']],
    ['half a command', ['user']],
    ['an unknown sub-command', ['key', 'steal']],
    ['a missing option', ['key', 'list']],
    ['an option without a value', ['key', 'list', '--email']],
    ['an unknown option', ['key', 'list', '--email', 'a@example.com', '--all']],
    ['an extra argument', ['migrate', 'now']],
    ['a missing file', ['catalogue', 'validate']],
    ['the name of something else', ['constructor']],
  ])('ends with exit code 2 and help if it has %s', async (_, args) => {
    const { exitCode, out, problem } = await gateway(args);
    expect(exitCode).toBe(2);
    expect(out).toBe('');
    expect(problem).toContain('USAGE gateway');
    const { error } = await gateway([...args, '--json']);
    expect(error?.code).toBe('usage');
  });

  test.each([[['--help']], [['key', '--help']], [['key', 'create', '--help']]])('prints help for %j', async (args) => {
    const { exitCode, out } = await gateway(args);
    expect(exitCode).toBe(0);
    expect(out).toContain('USAGE gateway');
    // Colours are for people, not for pipes.
    expect(Bun.stripANSI(out)).toBe(out);
  });

  test('names every configuration mistake', async () => {
    const environment = { DATABASE_URL: 'mysql://x', KEY_PEPPER: 'short' };
    const key = await gateway(['key', 'create', '--email', 'a@b.co', '--name', 'x', '--json'], { environment });
    expect(key.exitCode).toBe(1);
    expect(key.error).toMatchObject({ code: 'configuration' });
  });
});

test('the command line without a configured gateway uses the one that npm start runs', async () => {
  const { email } = await harness.createCustomer({ usd: '0' });
  const DATA_DIR = join(harness.directory, 'of-npm-start');
  const settings = { DATABASE_URL: harness.databaseUrl, REDIS_URL: harness.redisUrl, KEY_PEPPER: harness.keyPepper };
  mkdirSync(DATA_DIR);
  writeEnvironmentFile(join(DATA_DIR, 'gateway.env'), settings);
  const environment = { DATABASE_URL: '', REDIS_URL: '', KEY_PEPPER: '', DATA_DIR };
  const found = await gatewayProcessOf(harness)(['user', 'show', '--email', email, '--json'], { environment });
  expect(found).toMatchObject({ exitCode: 0, json: { email } });
});

test('an unreachable Postgres ends a command with exit code 1 and a plain message', async () => {
  const environment = { DATABASE_URL: 'postgres://127.0.0.1:1/x' };
  const { exitCode, problem, error } = await gateway(['key', 'list', '--email', 'a@example.com', '--json'], {
    environment,
  });
  expect(exitCode).toBe(1);
  expect(error).toEqual({
    code: 'database_unavailable',
    message: expect.stringMatching(/^Postgres cannot be reached: .*ECONNREFUSED.*\.$/),
  });
  expect(problem.trim()).toBe(error?.message ?? '');
});

test('a Postgres that accepts connections but never responds is reported in one sentence too', async () => {
  const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } });
  const environment = { DATABASE_URL: `postgres://127.0.0.1:${silent.port}/x` };
  const { exitCode, problem } = await gateway(['key', 'list', '--email', 'a@example.com'], { environment });
  expect(exitCode).toBe(1);
  expect(problem.trim()).toBe('Postgres cannot be reached: it does not respond.');
  await expect(harness.startAdmin(environment)).rejects.toThrow(
    'admin cannot start. Postgres cannot be reached: it does not respond.',
  );
  silent.stop(true);
});
