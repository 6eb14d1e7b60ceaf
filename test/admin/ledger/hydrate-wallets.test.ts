/** Wallets that are put into Redis together, while charges of their accounts arrive that the ledger has, or does not have yet. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { hydrateWallets } from '../../../admin/ledger/hydrate-wallets.ts';
import { nanoUsd } from '../../../shared/money.ts';
import { encodeChargeDetail } from '../../../shared/usage/charge-detail.ts';
import { shardOfAccount } from '../../../shared/wallet/shard.ts';
import { Wallet } from '../../../shared/wallet/wallet.ts';
import { WalletKeeper } from '../../../shared/wallet/wallet-keeper.ts';
import { bookWaiting } from '../../harness/book-waiting.ts';
import { violationsAtRest } from '../../harness/books.ts';
import type { Customer } from '../../harness/customers.ts';
import { detailOf } from '../../harness/wallet/charge-detail.ts';
import { type Harness, startHarness } from '../../harness.ts';

const accounts = 5;
const creditNano = 1_000_000_000n;
const unknownAccount = 1_000_000;

let harness: Harness;
let wallet: Wallet;
let customers: Customer[];
const spentNano = new Map<number, bigint>();
beforeAll(async () => {
  harness = await startHarness();
  wallet = new Wallet(harness.redis);
  customers = await Promise.all(Array.from({ length: accounts }, () => harness.createCustomer({ usd: '1' })));
});
afterAll(() => harness.stop());

interface Charge {
  readonly requestId: string;
  readonly accountId: number;
  readonly costNano: bigint;
}

/** As a proxy sends it, also again after Redis has lost it. */
async function settle({ requestId, accountId, costNano }: Charge): Promise<void> {
  const keyId = customers.find((customer) => customer.accountId === accountId)?.proxyKeyId ?? 0;
  const held = { requestId, shard: shardOfAccount(accountId), accountId, keyId, epoch: '1' };
  const detail = encodeChargeDetail(detailOf({ startedAtMs: Date.now() }));
  await wallet.settle(held, { costNano: nanoUsd(costNano), tokens: 0, detail });
}

function newCharge(place: number, costNano: bigint): Charge {
  const accountId = customers[place]?.accountId ?? 0;
  spentNano.set(accountId, (spentNano.get(accountId) ?? 0n) + costNano);
  return { requestId: Bun.randomUUIDv7(), accountId, costNano };
}

/** Charges arrive after it has read what there is. */
class BusyKeeper extends WalletKeeper {
  constructor(readonly arriving: Charge[]) {
    super(harness.redis);
  }

  override async readOrphans(accountId: number): Promise<string[]> {
    const orphans = await super.readOrphans(accountId);
    const next = this.arriving.shift();
    if (next !== undefined) await settle(next);
    return orphans;
  }
}

const charge = fc.tuple(fc.nat(accounts - 1), fc.bigInt({ min: 1n, max: 1_000n }));
const charges = fc.array(charge, { maxLength: 6 });

test('each wallet has what is left by the ledger and by charges that it has, or does not have yet', async () => {
  const property = fc.asyncProperty(charges, charges, charges, async (booked, unbooked, late) => {
    const [sent, waiting, arriving] = [booked, unbooked, late].map((some) =>
      some.map(([place, costNano]) => newCharge(place, costNano)),
    );
    for (const each of sent ?? []) await settle(each);
    await bookWaiting(harness);
    await harness.redis.flushall();
    // What the ledger has is sent again.
    for (const each of [...(sent ?? []), ...(waiting ?? [])]) await settle(each);
    const keeper = new BusyKeeper(arriving ?? []);
    const accountIds = customers.map(({ accountId }) => accountId);
    await hydrateWallets({ sql: harness.database.sql, keeper }, [...accountIds, unknownAccount]);
    for (const each of keeper.arriving) await settle(each);
    for (const accountId of accountIds) {
      expect(await keeper.readWallet(accountId)).toEqual({
        availableNano: nanoUsd(creditNano - (spentNano.get(accountId) ?? 0n)),
        heldNano: nanoUsd(0n),
      });
    }
    expect(await keeper.readWallet(unknownAccount)).toBeUndefined();
    await bookWaiting(harness);
    expect(await violationsAtRest(harness, accountIds)).toEqual([]);
  });
  await fc.assert(property, { numRuns: 15, endOnFailure: true });
});

test('a charge whose month is archived is in the ledger already, however late its wallet comes back', async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  const { accountId } = customer;
  customers.push(customer);
  const untilId = Bun.randomUUIDv7('hex', new Date('2020-02-01'));
  const requestId = Bun.randomUUIDv7('hex', new Date('2020-01-15'));
  await harness.redis.flushall();
  await settle({ requestId, accountId, costNano: 5n });
  const { sql } = harness.database;
  await sql`
    INSERT INTO archived_months (month, from_id, until_id)
    VALUES ('2020-01-01', ${Bun.randomUUIDv7('hex', new Date('2020-01-01'))}, ${untilId})`;
  const keeper = new WalletKeeper(harness.redis);
  await hydrateWallets({ sql, keeper }, [accountId]);
  expect(await keeper.readWallet(accountId)).toEqual({ availableNano: nanoUsd(creditNano), heldNano: nanoUsd(0n) });
});
