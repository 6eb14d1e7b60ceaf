/** What a proxy writes late about a batch that another one has taken over decides nothing. */
import { afterAll, beforeEach, expect, test } from 'bun:test';
import fc from 'fast-check';
import { BatchRun } from '../../../proxy/batches/batch-run.ts';
import type { ProxyServices } from '../../../proxy/request/services.ts';
import { Batches, type BatchState, type StoredBatch } from '../../../proxy/storage/batches.ts';
import { Files, newFileId } from '../../../proxy/storage/files.ts';
import type { BatchLease } from '../../../proxy/storage/lease/batch-lease.ts';
import { SealedObjects } from '../../../proxy/storage/sealed-objects.ts';
import { createLog } from '../../../shared/log.ts';
import { nextTurn } from '../../../shared/next-turn.ts';
import { filesSecret, openTestStore } from '../../harness/storage/stores.ts';

const place = await openTestStore('s3');
const objects = new SealedObjects(place.store, () => [filesSecret]);
const files = new Files(objects, { maxBytes: 1_000_000 });
const services = {
  log: createLog({ program: 'test', level: 'silent' }),
  config: { bodyMaxBytes: 1_000 },
  settlement: { replayBuffer: undefined },
} as unknown as ProxyServices;

afterAll(() => place.remove());

type Write = Parameters<Batches['writeState']>;

/** What a test does instead of storing a state. */
class HeldBatches extends Batches {
  instead: ((write: () => Promise<void>) => Promise<void>) | undefined;

  override writeState(...write: Write): Promise<void> {
    const store = () => super.writeState(...write);
    return this.instead === undefined ? store() : this.instead(store);
  }
}

let batches: HeldBatches;
let batch: StoredBatch;

/** A batch whose only line is none, so that it fails without asking anybody. */
beforeEach(async () => {
  batches = new HeldBatches(objects);
  const inputFileId = newFileId();
  const input = await files.create(1, inputFileId);
  await input.write(Buffer.from('not a line\n'));
  const createdAt = Math.floor(Date.now() / 1_000);
  const times = { createdAt, expiresAt: createdAt + 86_400 };
  await input.keep({ purpose: 'batch', filename: 'input.jsonl', ...times });
  batch = await batches.create(1, {
    ...{ inputFileId, endpoint: '/v1/chat/completions', metadata: null, ...times, outputLifeSeconds: 86_400 },
    key: { hash: 'hash', firstHash: 'hash', shard: 0, address: null },
  });
});

const newLease = () => ({ isValid: true, take: async () => 0 });

function run(lease: ReturnType<typeof newLease>, of: Files = files): Promise<void> {
  const others = { slots: undefined, room: undefined, responseRoom: undefined } as unknown as Pick<
    ConstructorParameters<typeof BatchRun>[0],
    'slots' | 'room' | 'responseRoom'
  >;
  const storage = { files: of, batches, tidy: async () => {} };
  return new BatchRun({ services, storage, batch, lease: lease as unknown as BatchLease, ...others }).run();
}

const isQueued = async () => (await batches.listUnfinished()).some(({ id }) => id === batch.id);
const statusNow = async () => (await batches.readState(batch)).status;

test('in whatever order states arrive, that of the last proxy that has taken the batch counts', async () => {
  const writes = fc.array(fc.record({ term: fc.integer({ min: 1, max: 12 }), total: fc.nat() }), { minLength: 1 });
  const property = fc.asyncProperty(writes, async (written) => {
    const state: BatchState = { status: 'in_progress', total: 0, completed: 0, failed: 0 };
    const own = { id: `batch_${crypto.randomUUID().replaceAll('-', '')}`, accountId: 1 };
    for (const { term, total } of written) await batches.writeState(own, { term, state: { ...state, total } });
    const last = Math.max(...written.map(({ term }) => term));
    expect((await batches.readState(own)).total).toBe(written.findLast(({ term }) => term === last)?.total ?? -1);
  });
  await fc.assert(property, { numRuns: 30 });
});

test('a state whose writing has failed and that arrives late is not the state of its batch', async () => {
  let arrive = async () => {};
  batches.instead = async (write) => {
    arrive = write;
    throw new Error('the object storage did not respond in time');
  };
  await expect(run(newLease())).rejects.toThrow('did not respond');
  expect(await isQueued()).toBe(true);
  batches.instead = undefined;
  await batches.takeLog(batch);
  await batches.writeState(batch, { term: 2, state: { status: 'in_progress', total: 5, completed: 3, failed: 0 } });
  await arrive();
  expect(await statusNow()).toBe('in_progress');
});

test('a proxy whose lease ends while it writes how a batch has ended leaves the batch to the next one', async () => {
  const lease = newLease();
  batches.instead = async (write) => {
    lease.isValid = false;
    await write();
  };
  await expect(run(lease)).rejects.toThrow();
  expect(await isQueued()).toBe(true);
  batches.instead = undefined;
  await run(newLease());
  expect([await statusNow(), await isQueued()]).toEqual(['failed', false]);
});

test('a storage that fails while a batch is cancelled interrupts that batch alone', async () => {
  const inputFileId = newFileId();
  const input = await files.create(1, inputFileId);
  const line = { custom_id: 'one', method: 'POST', url: batch.endpoint, body: { model: 'test/chat' } };
  await input.write(Buffer.from(`${JSON.stringify(line)}\n${JSON.stringify({ ...line, custom_id: 'two' })}\n`));
  const { createdAt, expiresAt, endpoint, metadata, outputLifeSeconds, key } = batch;
  const kept = await input.keep({ purpose: 'batch', filename: 'input.jsonl', createdAt, expiresAt });
  batch = await batches.create(1, { inputFileId, endpoint, metadata, outputLifeSeconds, key, createdAt, expiresAt });
  await batches.cancel(batch, createdAt);
  const whole = Buffer.concat(await Array.fromAsync((await files.content(kept)) ?? []));
  const isRefused = Promise.withResolvers<void>();
  const away = () => new Error('the storage is away');
  batches.takeLog = async (of) => {
    const log = await Batches.prototype.takeLog.call(batches, of);
    log.append = async () => {
      await Promise.resolve();
      isRefused.resolve();
      throw away();
    };
    return log;
  };
  let reads = 0;
  const broken = Object.assign(Object.create(files) as Files, {
    find: (accountId: number, id: string) => files.find(accountId, id),
    content: async () => {
      reads += 1;
      return reads === 1 ? [whole] : failing();
    },
  });
  async function* failing() {
    yield whole;
    await isRefused.promise;
    // A rejection that nobody handles is reported by now.
    await nextTurn();
    throw away();
  }
  await expect(run(newLease(), broken)).rejects.toThrow('the storage is away');
  expect(await isQueued()).toBe(true);
});
