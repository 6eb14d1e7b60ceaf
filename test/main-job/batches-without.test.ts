/** Batches while Postgres is gone, and while the disk of their files is full: the real ones. */
import { afterEach, expect, test } from 'bun:test';
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateDatabase } from '../../admin/database/migrate.ts';
import { chaosPostgres } from '../chaos/world/servers.ts';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { type Gateway, startGateway, startProxyProgram } from '../harness/gateway.ts';
import { wholeResponse } from '../harness/providers/scripted-provider.ts';
import { expectExactlyOnce } from '../harness/storage/exactly-once.ts';
import { clientOf, createBatch, endOf, linesOf, resultsOf } from '../harness/storage/run-batch.ts';
import { filesSecret } from '../harness/storage/stores.ts';

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function newFolder(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-test-without-'));
  cleanUps.push(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Each line has a cost of its own. */
function answerSlowly({ provider }: Gateway, delayMs: number) {
  provider.on('upstream-chat', (truth, request) => {
    const completionTokens = 1 + Math.floor(Math.random() * 1_000);
    return wholeResponse({ usage: { promptTokens: 10, completionTokens }, delayMs })(truth, request);
  });
}

async function newCustomer({ harness, proxy }: Gateway) {
  const customer = await harness.createCustomer({ usd: '10' });
  const client = clientOf(proxy, customer.proxyKey);
  await waitFor('the wallet', guardTimeoutMs, () => client.files.list().catch(() => undefined));
  return { customer, client };
}

const bodyOf = (padding: string) => (number: number) => ({
  model: 'test/chat',
  messages: [{ role: 'user', content: `Line ${number} ${padding}` }],
});

test('Postgres is killed: batches run to their end, and are charged once it is back', async () => {
  const directory = await newFolder();
  const postgres = chaosPostgres(directory);
  await postgres.start();
  await migrateDatabase(postgres.url);
  const gateway = await startGateway({
    proxyEnvironment: { FILES_DIR: join(directory, 'files'), FILES_SECRET: filesSecret },
    testDatabase: { url: postgres.url, drop: () => postgres.stop() },
  });
  cleanUps.push(() => gateway.stop());
  answerSlowly(gateway, 30);
  const { customer, client } = await newCustomer(gateway);
  const created = await createBatch(client, linesOf(150, bodyOf('')));
  await waitFor('some lines', guardTimeoutMs, async () => {
    const { request_counts: counts } = await client.batches.retrieve(created.id);
    return (counts?.completed ?? 0) > 0;
  });
  await postgres.kill();
  const later = await createBatch(client, linesOf(50, bodyOf('')));
  const first = await resultsOf(client, await endOf(client, created));
  const second = await resultsOf(client, await endOf(client, later));
  await postgres.start();
  const counts = { total: 200, completed: first.output.length + second.output.length, failed: 0 };
  await expectExactlyOnce(gateway.harness, customer, {
    lines: 200,
    results: {
      batch: { ...second.batch, request_counts: counts },
      output: [...first.output, ...second.output.map((line) => ({ ...line, custom_id: `second-${line.custom_id}` }))],
      errors: [...first.errors, ...second.errors],
    },
  });
});

/** A file system of its own in memory; undefined where this user may not mount one. */
async function mountSmallDisk(folder: string, bytes: number): Promise<string | undefined> {
  const path = join(folder, 'disk');
  await mkdir(path);
  const { exitCode } = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path]);
  if (exitCode !== 0) return undefined;
  cleanUps.push(async () => Bun.spawnSync(['umount', '-l', path]));
  return path;
}

const canMount = process.platform === 'linux' && process.getuid?.() === 0;
if (!canMount) console.warn('a disk that is full is not tested: it takes root on Linux');

test.skipIf(!canMount)('the disk is full in the middle, and has room again later', async () => {
  const disk = await mountSmallDisk(await newFolder(), 8 * 1024 * 1024);
  if (disk === undefined) return console.warn('a disk that is full is not tested: none can be mounted');
  const gateway = await startProxyProgram({ proxyEnvironment: { FILES_DIR: disk, FILES_SECRET: filesSecret } });
  cleanUps.push(() => gateway.stop());
  const isFull = Promise.withResolvers<void>();
  const answer = wholeResponse({ usage: { promptTokens: 10, completionTokens: 10 }, delayMs: 20 });
  let asked = 0;
  gateway.provider.on('upstream-chat', async (truth, request) => {
    asked += 1;
    if (asked > 50) await isFull.promise;
    return answer(truth, request);
  });
  const { customer, client } = await newCustomer(gateway);
  const created = await createBatch(client, linesOf(150, bodyOf('x'.repeat(1_000))));
  const progress = async () => (await client.batches.retrieve(created.id)).request_counts?.completed ?? 0;
  await waitFor('some lines', guardTimeoutMs, async () => (await progress()) > 0);
  await fillDisk(join(disk, 'filler'));
  isFull.resolve();
  await waitFor('the proxy to notice', guardTimeoutMs, async () =>
    (await Bun.file(gateway.proxy.logFile).text()).includes('ENOSPC'),
  );
  // What was removed again has made room.
  await fillDisk(join(disk, 'more'));
  const upload = client.files.create({ file: new File(['x'.repeat(100_000)], 'large.jsonl'), purpose: 'batch' });
  expect(await upload.catch(({ status, code }) => ({ status, code }))).toEqual({
    status: 503,
    code: 'storage_unavailable',
  });
  await rm(join(disk, 'more'));
  await rm(join(disk, 'filler'));
  const results = await resultsOf(client, await endOf(client, created));
  expect(results.output).toHaveLength(150);
  await expectExactlyOnce(gateway.harness, customer, { lines: 150, results });
});

/** Until nothing more can be written. */
async function fillDisk(path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (let bytes = 64 * 1024; bytes >= 1; ) {
      const isWritten = await file.write(Buffer.alloc(bytes)).then(
        ({ bytesWritten }) => bytesWritten === bytes,
        () => false,
      );
      if (!isWritten) bytes = Math.floor(bytes / 2);
    }
  } finally {
    await file.close();
  }
}
