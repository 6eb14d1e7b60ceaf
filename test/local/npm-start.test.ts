/** `npm start` for a new user: one command, a printed curl command that works, and a bill that adds up. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProcessRecord } from '../../local/processes/record.ts';
import { freePort } from '../../local/servers/ports.ts';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';

const root = join(import.meta.dir, '../..');
const serverPorts = [await freePort(), await freePort()].map(String);
let dataDir: string;
const children: Bun.Subprocess[] = [];
/** The one that runs now; the next test that needs one finds it, or starts one. */
let current: Started | undefined;
let firstBalance: unknown;

interface LocalFile {
  readonly proxyUrl: string;
  readonly adminUrl: string;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly demo: {
    readonly email: string;
    readonly password: string;
    readonly proxyKey: string;
    readonly billingKey: string;
  };
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gateway-npm-start-'));
  const { local } = await running();
  firstBalance = await (await logInTo(local))('/api/balance');
});

async function running(): Promise<Started> {
  current ??= await npmStart();
  return current;
}

afterAll(async () => {
  for (const child of children) child.kill('SIGTERM');
  await Promise.all(children.map((child) => child.exited));
  await rm(dataDir, { recursive: true, force: true });
});

interface Started {
  readonly local: LocalFile;
  /** The terminal's content when it was ready. */
  readonly output: string;
  stop(): Promise<number>;
}

async function npmStart(environment: Record<string, string> = {}): Promise<Started> {
  const child = Bun.spawn(['node', 'local/npm/start.mjs'], {
    cwd: root,
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      PROXY_PORT: '0',
      ADMIN_PORT: '0',
      DEMO_PORT: '0',
      POSTGRES_PORT: serverPorts[0],
      REDIS_PORT: serverPorts[1],
      CBR_URL: 'off',
      NO_COLOR: '1',
      OPENAI_API_KEY: 'sk-of-the-user',
      ...environment,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  children.push(child);
  const decoder = new TextDecoder();
  let output = '';
  for await (const chunk of child.stdout) {
    output += decoder.decode(chunk, { stream: true });
    if (output.includes('Stop with Ctrl-C')) break;
  }
  if (!output.includes('Stop with Ctrl-C')) {
    throw new Error(`npm start ended with ${await child.exited}:\n${output}`);
  }
  const local: LocalFile = await Bun.file(join(dataDir, 'local.json')).json();
  return {
    local,
    output,
    stop: () => {
      child.kill('SIGINT');
      return child.exited;
    },
  };
}

type Get = (path: string) => Promise<Record<string, unknown>>;

/** Logs the demo customer in once; the returned function calls the API as this customer. */
async function logInTo(local: LocalFile): Promise<Get> {
  const login = await fetch(`${local.adminUrl}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: local.demo.email, password: local.demo.password }),
  });
  const { accessToken } = (await login.json()) as { accessToken: string };
  return async (path) => {
    const response = await fetch(`${local.adminUrl}${path}`, { headers: { authorization: `Bearer ${accessToken}` } });
    return (await response.json()) as Record<string, unknown>;
  };
}

function recordOf(name: string): ProcessRecord | undefined {
  const records: ProcessRecord[] = JSON.parse(readFileSync(join(dataDir, 'processes.json'), 'utf8'));
  return records.find((record) => record.name === name);
}

/** The environment or the arguments that a running program was started with. */
function startedWith(name: string, what: 'environ' | 'cmdline'): string[] {
  return readFileSync(`/proc/${recordOf(name)?.pid}/${what}`, 'utf8').split('\0');
}

test.skipIf(!existsSync('/proc/self/environ'))(
  'each program started by npm start has its own secrets and no other’s',
  async () => {
    await running();
    const secrets = /^(JWT_SECRET|KEY_PEPPER|FILES_SECRET|DATABASE_URL|REDIS_URL|OPENAI_API_KEY)(?==)/;
    const secretsOf = (name: string) => startedWith(name, 'environ').flatMap((entry) => secrets.exec(entry)?.[1] ?? []);
    expect(secretsOf('proxy').sort()).toEqual(['FILES_SECRET', 'KEY_PEPPER', 'OPENAI_API_KEY', 'REDIS_URL']);
    expect(secretsOf('admin').sort()).toEqual(['DATABASE_URL', 'JWT_SECRET', 'KEY_PEPPER', 'REDIS_URL']);
    expect(secretsOf('demo-provider')).toEqual([]);
    // Otherwise Bun would load a `.env` next to the programs for all of them.
    for (const name of ['proxy', 'admin', 'demo-provider'])
      expect(startedWith(name, 'cmdline')).toContain('--no-env-file');
  },
);

test('the printed curl command works, costs its exact price, and is booked', async () => {
  expect(firstBalance).toMatchObject({ balance: 10, available: 10, reserved: 0 });
  const { local, output } = await running();
  const get = await logInTo(local);
  const { balance: before } = await get('/api/balance');

  expect([local.databaseUrl, local.redisUrl].map((url) => new URL(url).port)).toEqual(serverPorts);
  const page = /Open in a browser: (\S+)/.exec(output)?.[1] ?? '';
  expect((await fetch(page)).headers.get('content-type')).toStartWith('text/html');
  expect(output).toContain(local.demo.billingKey);
  expect(output).toContain(join(dataDir, 'mail'));

  const command = /^curl http[\s\S]*?'\{.*\}'$/m.exec(output)?.[0] ?? '';
  const curl = Bun.spawnSync(['sh', '-c', command.replace('curl ', 'curl -sS -i ')]);
  const [head = '', body = ''] = curl.stdout.toString().split('\r\n\r\n');
  expect(head).toStartWith('HTTP/1.1 200');
  const { usage } = JSON.parse(body) as { usage: { prompt_tokens: number; completion_tokens: number; cost: number } };
  const requestId = /x-request-id: (\S+)/i.exec(head)?.[1];

  // The demo model's price with the markup: $0.60 and $1.80 per million tokens, in nano-dollars per token.
  const costNano = usage.prompt_tokens * 600 + usage.completion_tokens * 1_800;
  expect(Math.round(usage.cost * 1e9)).toBe(costNano);
  const transactions = await waitFor('the transaction', guardTimeoutMs, async () => {
    const response = await get('/api/transactions');
    const list = response.transactions as { requestId?: string; amount: number }[];
    return list.some((transaction) => transaction.requestId === requestId) && list;
  });
  const nano = (usd: number) => Math.round(usd * 1e9);
  expect(nano(transactions.find((transaction) => transaction.requestId === requestId)?.amount ?? 0)).toBe(-costNano);
  const balance = await get('/api/balance');
  expect(nano(Number(balance.balance))).toBe(nano(Number(before)) - costNano);
});

test('the next npm start has the same data, and its proxy the whole grace before it ends the stream', async () => {
  const first = await running();
  const { balance: before } = await (await logInTo(first.local))('/api/balance');
  current = undefined;
  expect(await first.stop()).toBe(0);
  expect(existsSync(join(dataDir, 'local.json'))).toBe(true);
  const { local, stop } = await npmStart({ SHUTDOWN_GRACE_SECONDS: '1', DEMO_TOKENS_PER_SECOND: '1' });
  expect(local.demo).toEqual(first.local.demo);
  expect((await (await logInTo(local))('/api/balance')).balance).toBe(before as number);
  for (const name of ['proxy', 'admin']) expect(recordOf(name)?.graceMs).toBeGreaterThan(1_000);
  const response = await fetch(`${local.proxyUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${local.demo.proxyKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo/chat', messages: [{ role: 'user', content: 'What do I pay?' }], stream: true }),
  });
  const [exitCode, text] = await Promise.all([stop(), response.text()]);
  expect(text).not.toContain('[DONE]');
  expect(text).toContain('"code":"shutting_down"');
  expect(exitCode).toBe(0);
});
