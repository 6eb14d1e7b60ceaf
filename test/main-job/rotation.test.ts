/** Secrets are replaced while two proxies and two admins serve requests: none fails, and the old secret is retired. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashKey, pepperMark } from '../../shared/keys/api-key.ts';
import { shardOfAccount } from '../../shared/wallet/shard.ts';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { violationsAtRest } from '../harness/books.ts';
import { chat, errorCodeOf } from '../harness/clients/chat.ts';
import { createCustomer } from '../harness/customers.ts';
import { logInAt } from '../harness/log-in-at.ts';
import type { Program } from '../harness/programs.ts';
import { startScriptedProvider, wholeResponse } from '../harness/providers/scripted-provider.ts';
import { testCatalogue } from '../harness/providers/test-catalogue.ts';
import { startHarness } from '../harness.ts';

const harness = await startHarness();
const provider = startScriptedProvider();
const directory = mkdtempSync(join(tmpdir(), 'rotation-'));
const newSecret = (): string => crypto.randomUUID();
const usage = { promptTokens: 10, completionTokens: 10 };

/** Before the next log-in, which takes a fifth of a second of CPU. */
const usesOfToken = 4;

/** Ends the load, including that of a failed test. */
let stopLoad = async () => {};

afterAll(async () => {
  await stopLoad().catch(() => {});
  await provider.stop();
  await harness.stop();
  rmSync(directory, { recursive: true });
});

/** A secret that each program reads from its own file, so that programs learn of a new one at different moments. */
class RotatedSecret {
  readonly #variable: string;
  readonly #readers = new Map<string, Program>();
  #reads = 0;

  constructor(variable: string) {
    this.#variable = variable;
  }

  /** The variable for a program that is about to start. */
  fileFor(reader: string, secrets: readonly string[]): Record<string, string> {
    const path = join(directory, `${this.#variable}-${reader}`);
    writeFileSync(path, secrets.join('\n'));
    return { [`${this.#variable}_FILE`]: path };
  }

  readBy(reader: string, program: Program): void {
    this.#readers.set(reader, program);
  }

  /** One program after the other. */
  async replace(secrets: readonly string[]): Promise<void> {
    this.#reads += 1;
    for (const [reader, program] of this.#readers) {
      this.fileFor(reader, secrets);
      await waitFor(
        `${reader} to read ${this.#variable}_FILE`,
        15_000,
        async () => this.#readsOf(program) >= this.#reads,
      );
    }
  }

  #readsOf({ logFile }: Program): number {
    return readFileSync(logFile, 'utf8')
      .split('\n')
      .filter((line) => line.includes('was reloaded') && line.includes(`${this.#variable}_FILE`)).length;
  }
}

const peppers = new RotatedSecret('KEY_PEPPER');
const jwtSecrets = new RotatedSecret('JWT_SECRET');
const providerKeys = new RotatedSecret('SCRIPTED_API_KEY');
const [pepper, jwtSecret, providerKey] = [harness.keyPepper, harness.jwtSecret, newSecret()];
const [newPepper, newJwtSecret, newProviderKey] = [newSecret(), newSecret(), newSecret()];

/** What the provider accepts. */
let acceptedByProvider = [providerKey, newProviderKey];
provider.on('upstream-chat', (truth, request) => {
  const key = truth.headers.get('authorization')?.replace('Bearer ', '') ?? '';
  if (!acceptedByProvider.includes(key)) return Response.json({ error: { message: 'bad key' } }, { status: 401 });
  return wholeResponse({ usage, delayMs: 5 })(truth, request);
});
await harness.applyCatalogue(
  testCatalogue(provider.baseUrl).replace('id: scripted,', 'id: scripted, apiKeyEnv: SCRIPTED_API_KEY,'),
);

async function startAll() {
  const [admins, proxies]: [Program[], Program[]] = [[], []];
  for (const name of ['admin-1', 'admin-2']) {
    const files = { ...peppers.fileFor(name, [pepper]), ...jwtSecrets.fileFor(name, [jwtSecret]) };
    const admin = await harness.startAdmin(files);
    peppers.readBy(name, admin);
    jwtSecrets.readBy(name, admin);
    admins.push(admin);
  }
  for (const name of ['proxy-1', 'proxy-2']) {
    const files = { ...peppers.fileFor(name, [pepper]), ...providerKeys.fileFor(name, [providerKey]) };
    const proxy = await harness.startProxy(files);
    peppers.readBy(name, proxy);
    providerKeys.readBy(name, proxy);
    proxies.push(proxy);
  }
  return { admins, proxies };
}

const { admins, proxies } = await startAll();
const customer = await harness.createCustomer({ usd: '100' });
/** A customer whose keys are not used while the pepper is replaced. */
const absent = await harness.createCustomer({ usd: '1' });
const email = customer.email;

/** Requests of every kind to every program until it is stopped. */
function startLoad() {
  const failures: string[] = [];
  let [requests, isOver] = [0, false];
  const check = async (what: string, pending: Promise<Response>) => {
    const response = await pending;
    const body = await response.text();
    requests += 1;
    if (!response.ok) failures.push(`${what}: ${response.status} ${body}`);
    return body;
  };
  const repeat = async (step: () => Promise<void>) => {
    while (!isOver) {
      await step();
      await Bun.sleep(30);
    }
  };
  const tokens = new Map<string, string>();
  const loops = [
    ...proxies.flatMap((proxy, index) => [
      repeat(async () => void (await check(`proxy ${index}`, chat(proxy, customer.proxyKey, { model: 'test/chat' })))),
      repeat(async () => void (await check(`key ${index}`, fetch(`${proxy.url}/v1/key`, bearer(customer.proxyKey))))),
    ]),
    // A token of one admin is shown to the other.
    ...admins.map((admin, index) =>
      repeat(async () => {
        tokens.set(admin.url, await logInAt(admin.url, { ...customer, email }));
        for (let use = 0; use < usesOfToken && !isOver; use += 1) {
          for (const token of tokens.values())
            await check(`token ${index}`, fetch(`${admin.url}/api/balance`, bearer(token)));
          await check(`billing ${index}`, fetch(`${admin.url}/api/keys`, bearer(customer.billingKey)));
          await Bun.sleep(500);
        }
      }),
    ),
  ];
  return {
    failures,
    stop: async () => {
      isOver = true;
      await Promise.all(loops);
      return requests;
    },
  };
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

function askOnce(proxy: Program | undefined, idempotencyKey: string): Promise<Response> {
  return fetch(`${proxy?.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.proxyKey}`, 'idempotency-key': idempotencyKey },
    body: JSON.stringify({ model: 'test/chat', messages: [{ role: 'user', content: 'Once' }] }),
  });
}

const hashesOf = async (accountId: number) => {
  const rows = await harness.database.sql<{ hash: string; pepper_mark: string; first_hash: string | null }[]>`
    SELECT hash, pepper_mark, first_hash FROM api_keys WHERE account_id = ${accountId} ORDER BY id`;
  return rows.map((row) => ({ ...row }));
};

test('secrets are replaced under load without a failed request', async () => {
  const oldToken = await logInAt(admins[0]?.url ?? '', customer);
  const once = newSecret();
  const first = await askOnce(proxies[0], once);
  expect(first.status).toBe(200);
  const load = startLoad();
  stopLoad = async () => void (await load.stop());

  await Promise.all([
    peppers.replace([pepper, newPepper]),
    jwtSecrets.replace([jwtSecret, newJwtSecret]),
    providerKeys.replace([newProviderKey]),
  ]);
  acceptedByProvider = [newProviderKey];
  await Promise.all([peppers.replace([newPepper, pepper]), jwtSecrets.replace([newJwtSecret, jwtSecret])]);
  await waitFor('the keys in use to be hashed again', guardTimeoutMs, async () =>
    (await hashesOf(customer.accountId)).every((key) => key.pepper_mark === pepperMark(newPepper)),
  );
  const created = await createCustomer({ ...harness, keyPepper: newPepper }, { usd: '1' });
  expect((await chat(proxies[0], created.proxyKey, { model: 'test/chat' })).status).toBe(200);
  const repeated = await askOnce(proxies[1], once);
  expect(repeated.headers.get('x-original-request-id')).toBe(first.headers.get('x-request-id'));
  expect((await fetch(`${admins[1]?.url}/api/balance`, bearer(oldToken))).status).toBe(200);
  // While it is accepted, a proxy may still find the key by its former hash.
  const known = (hash: string) => harness.redis.exists(`{s${shardOfAccount(customer.accountId)}}:key:${hash}`);
  await waitFor(
    'the new hash to be published',
    5_000,
    async () => (await known(hashKey(customer.proxyKey, newPepper))) === 1,
  );

  await Promise.all([peppers.replace([newPepper]), jwtSecrets.replace([newJwtSecret])]);
  expect(await load.stop()).toBeGreaterThan(200);
  expect(load.failures).toEqual([]);

  expect((await askOnce(proxies[0], once)).headers.get('idempotent-replayed')).toBe('true');
  const refused = await chat(proxies[0], absent.proxyKey, { model: 'test/chat' });
  expect([refused.status, await errorCodeOf(refused)]).toEqual([401, 'invalid_api_key']);
  expect((await fetch(`${admins[0]?.url}/api/keys`, bearer(absent.billingKey))).status).toBe(401);
  expect((await fetch(`${admins[0]?.url}/api/balance`, bearer(oldToken))).status).toBe(401);
  const newToken = await logInAt(admins[1]?.url ?? '', customer);
  expect((await fetch(`${admins[0]?.url}/api/balance`, bearer(newToken))).status).toBe(200);
  expect(await hashesOf(customer.accountId)).toEqual(
    [customer.proxyKey, customer.billingKey].map((key) => ({
      hash: hashKey(key, newPepper),
      pepper_mark: pepperMark(newPepper),
      first_hash: hashKey(key, pepper),
    })),
  );
  expect(await violationsAtRest(harness, [customer.accountId])).toEqual([]);
});

test('a key that is deleted after it was hashed again is refused under both of its hashes', async () => {
  const [key] = await hashesOf(customer.accountId);
  const token = await logInAt(admins[0]?.url ?? '', customer);
  const id = customer.proxyKeyId;
  const deleted = await fetch(`${admins[0]?.url}/api/proxy-keys/${id}`, { ...bearer(token), method: 'DELETE' });
  expect(deleted.status).toBe(204);
  const accountOf = (hash: string | null | undefined) =>
    harness.redis.hget(`{s${shardOfAccount(customer.accountId)}}:key:${hash}`, 'account');
  expect([await accountOf(key?.hash), await accountOf(key?.first_hash)]).toEqual([null, null]);
  expect((await chat(proxies[1], customer.proxyKey, { model: 'test/chat' })).status).toBe(401);
});
