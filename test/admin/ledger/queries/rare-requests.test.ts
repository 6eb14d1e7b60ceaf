/** Requests of a key or a model that are rare among those of a busy account are found without reading the others. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import { listRequests } from '../../../../admin/ledger/queries/list-requests.ts';
import { detailOf } from '../../../harness/wallet/charge-detail.ts';
import { type Explainer, openExplainer } from '../explain.ts';
import { chargeOf, openLedger, type TestLedger } from '../ledger.ts';

const quarterMs = 900_000;
const [quarters, inQuarter] = [24, 1_000];
const start = new Date('2030-01-15T00:00:00Z');
const [rareKey, rareModel] = [77, 'rare'];

let ledger: TestLedger;
let explainer: Explainer;
let accountId: number;

/** Each quarter of an hour has one request of the rare key, with the rare model. */
beforeAll(async () => {
  ledger = await openLedger();
  accountId = await ledger.openAccount();
  for (let quarter = 0; quarter < quarters; quarter += 1) {
    const charges = Array.from({ length: inQuarter }, (_, index) => {
      const chargedAt = new Date(start.getTime() + quarter * quarterMs + (index * quarterMs) / inQuarter);
      const isRare = index === (quarter * 37) % inQuarter;
      return chargeOf(accountId, {
        ...{ requestId: Bun.randomUUIDv7('hex', chargedAt), chargedAt, keyId: isRare ? rareKey : index % 10 },
        ...{ walletSeq: null, walletSpentNano: null },
        detail: detailOf({ startedAtMs: chargedAt.getTime(), model: isRare ? rareModel : 'm' }),
      });
    });
    await applyCharges(ledger.sql, charges);
  }
  await ledger.sql`VACUUM ANALYZE`;
  explainer = openExplainer(ledger.url);
});
afterAll(async () => {
  await explainer.close();
  await ledger.close();
});

const any = { keyId: undefined, model: undefined, from: undefined, to: undefined, behind: undefined };

test.each([{ keyId: rareKey }, { model: rareModel }, { keyId: rareKey, model: rareModel }])(
  'a page of %j reads one quarter of an hour of the account, and then only what it shows',
  async (only) => {
    const found: (string | undefined)[] = [];
    const queries = await explainer.explain(async () => {
      for (const { event } of await listRequests(explainer, { accountId, ...any, ...only }, 20))
        found.push(event.chargedAt.toISOString());
    });
    expect(found).toHaveLength(20);
    expect(found).toEqual(found.toSorted().toReversed());
    const rowsRead = queries.reduce((sum, query) => sum + query.rowsRead, 0);
    expect(rowsRead).toBeLessThan(1.5 * inQuarter);
  },
);

test.each([1, 7, 10])('pages of %d requests list each of them once', async (limit) => {
  const found: string[] = [];
  for (let behind: Parameters<typeof listRequests>[1]['behind']; ; ) {
    const page = await listRequests(ledger, { accountId, ...any, keyId: rareKey, behind }, limit);
    found.push(...page.map(({ event }) => event.requestId));
    const last = page.at(-1)?.event;
    if (last === undefined) break;
    behind = { chargedAt: last.chargedAt, requestId: last.requestId, rank: last.rank };
  }
  expect(found).toHaveLength(quarters);
  expect(new Set(found).size).toBe(quarters);
});

test('a model without a name has no requests', async () => {
  expect(await listRequests(ledger, { accountId, ...any, model: '' }, 10)).toEqual([]);
});
