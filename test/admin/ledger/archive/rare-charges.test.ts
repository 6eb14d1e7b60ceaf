/** Lists of what is rare among an account's archived charges read little of its files, and no more than memory may hold. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { makePartitions } from '../../../../admin/database/partitions.ts';
import { archiveUsage } from '../../../../admin/ledger/archive/archive-usage.ts';
import type { ChargeFile } from '../../../../admin/ledger/archive/file/charge-file.ts';
import { OpenFiles } from '../../../../admin/ledger/archive/open-files.ts';
import { UsageArchive } from '../../../../admin/ledger/archive/usage-archive.ts';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import { listRequests, type RequestFilter } from '../../../../admin/ledger/queries/list-requests.ts';
import { readReceipt } from '../../../../admin/ledger/queries/read-receipt.ts';
import type { UsageEvent } from '../../../../admin/ledger/queries/usage-event.ts';
import { countAllLots } from '../../../../admin/lots/count-lots.ts';
import { SeededRandom } from '../../../harness/seeded-random.ts';
import { detailOf } from '../../../harness/wallet/charge-detail.ts';
import { chargeOf, openLedger, type TestLedger } from '../ledger.ts';
import { bookPast, makePrice, sealBefore } from '../past-charges.ts';

const seed = Number(process.env.SEED ?? 20_261_130);
const dayMs = 86_400_000;
const january = new Date('2026-01-03T00:00:00Z');
const usualCharges = 1_200;
const rareKeys = [7, 8, 9];
const perKey = 3;

describe('archived charges of a key or model with few of them', () => {
  const random = new SeededRandom(seed);
  let ledger: TestLedger;
  let accountId: number;
  /** By key, and by its model. */
  let before: Map<number, unknown>;

  const any = { keyId: undefined, model: undefined, from: undefined, to: undefined, behind: undefined };
  const list = async (filter: Partial<RequestFilter>, signal?: AbortSignal) => {
    const archive = new UsageArchive({ kind: 'folder', path: ledger.archivePath });
    const reads = spyOn(archive.store, 'readRange');
    const found = await listRequests({ db: ledger.db, archive, signal }, { accountId, ...any, ...filter }, 2_000);
    return { found, reads: reads.mock.calls.length };
  };

  beforeAll(async () => {
    ledger = await openLedger();
    for (const month of ['2026-01-10', '2026-04-10']) await makePartitions(ledger.sql, new Date(month));
    accountId = await ledger.openAccount();
    const priceVersion = await makePrice(ledger);
    // Some twenty an hour, in three months.
    await bookPast(ledger, {
      ...{ accountId, priceVersion, from: january, numbered: 0 },
      ...{ count: usualCharges, everyMs: (80 * dayMs) / usualCharges },
    });
    for (const keyId of rareKeys) {
      for (let charged = 0; charged < perKey; charged += 1) {
        const chargedAt = new Date(january.getTime() + random.integer(0, 80 * dayMs));
        const detail = detailOf({ priceVersion, startedAtMs: chargedAt.getTime(), model: `model ${keyId}` });
        const requestId = Bun.randomUUIDv7('hex', chargedAt);
        const wallet = { walletSeq: null, walletSpentNano: null };
        await applyCharges(ledger.sql, [chargeOf(accountId, { requestId, chargedAt, keyId, detail, ...wallet })]);
      }
    }
    await sealBefore(ledger, new Date('2026-05-01T00:00:00Z'));
    await countAllLots(ledger.db, { billingTimeZone: 'UTC' });
    before = new Map();
    for (const keyId of rareKeys) before.set(keyId, (await list({ keyId })).found);
    const { store } = ledger.archive;
    await archiveUsage(ledger.sql, { months: 2, store, now: new Date('2026-06-15T00:00:00Z'), rowsInGroup: 20 });
  });
  afterAll(() => ledger.close());

  test('are listed as before, and the groups of rows around them are all that is read', async () => {
    const all = await list({});
    expect(all.found).toHaveLength(usualCharges + 1 + rareKeys.length * perKey - 1);
    for (const keyId of rareKeys) {
      for (const filter of [{ keyId }, { model: `model ${keyId}` }]) {
        const { found, reads } = await list(filter);
        expect(found).toHaveLength(perKey);
        expect(found).toEqual(before.get(keyId) as typeof found);
        expect(reads).toBeLessThan(all.reads / 5);
      }
    }
  });

  test('have receipts, for which one group of rows is read', async () => {
    const [listed] = (await list({ keyId: 8 })).found;
    const requestId = listed?.event.requestId ?? '';
    for (const search of [{ requestId, accountId }, { requestId }]) {
      const archive = new UsageArchive({ kind: 'folder', path: ledger.archivePath });
      const reads = spyOn(archive.store, 'readRange');
      expect((await readReceipt({ db: ledger.db, archive }, search))?.event).toEqual(listed?.event as UsageEvent);
      // Of some sixty groups: the directory, the ids and the row, and what else was charged in that quarter of an hour.
      expect(reads.mock.calls.length).toBeLessThanOrEqual(10);
    }
  });

  test('are looked for in no file if there are none', async () => {
    for (const filter of [{ keyId: 1_000 }, { model: 'unknown' }, { keyId: 7, model: 'model 8' }])
      expect(await list(filter)).toEqual({ found: [], reads: 0 });
  });

  test('are not read for a client that has disconnected', async () => {
    expect(await list({}, AbortSignal.abort())).toEqual({ found: [], reads: 0 });
  });
});

test('of open files, those that were used last are kept, as many as may be', async () => {
  const files = new OpenFiles({ groupsMax: 10 });
  const opened: string[] = [];
  const open = (name: string, groups: number) =>
    files.open(name, () => {
      opened.push(name);
      return Promise.resolve({ name, groups: { length: groups } } as unknown as ChargeFile);
    });
  for (const name of ['a', 'b', 'c']) await open(name, 3);
  await open('a', 3);
  await open('d', 4);
  expect(opened).toEqual(['a', 'b', 'c', 'd']);
  expect(files.names).toEqual(['c', 'a', 'd']);
  await open('large', 50);
  expect(files.names).toEqual(['large']);
  await expect(files.open('broken', () => Promise.reject(new Error('silent')))).rejects.toThrow('silent');
  await open('broken', 1);
  expect(files.names).toEqual(['broken']);
});
