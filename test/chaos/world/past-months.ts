/** Months that are long over, of a customer who does nothing else: admins seal them as soon as they are booked. */

import type { Database } from '../../../admin/database/connect.ts';
import { makePartitions, monthsAhead } from '../../../admin/database/partitions.ts';
import { accounts } from '../../../admin/database/tables/accounts.ts';
import { bookPast, makePrice, payPast } from '../../admin/ledger/past-charges.ts';

const chargesOfMonth = 1_000;
const paidNano = 1_000_000_000n;
/** Far back, so that there is one for every fault of a long run. */
const firstMonthsAgo = 240;

export class PastMonths {
  readonly accountId: number;
  readonly #database: Database;
  readonly #priceVersion: number;
  #booked = 0;

  private constructor(database: Database, { accountId, priceVersion }: { accountId: number; priceVersion: number }) {
    this.#database = database;
    this.accountId = accountId;
    this.#priceVersion = priceVersion;
  }

  static async open(database: Database): Promise<PastMonths> {
    const [account] = await database.db.insert(accounts).values({}).returning({ id: accounts.id });
    if (account === undefined) throw new Error('an insert returned no account');
    return new PastMonths(database, { accountId: account.id, priceVersion: await makePrice(database) });
  }

  /** Books the next one, and returns it: `2008-04`. */
  async book(): Promise<string> {
    const { accountId } = this;
    const now = new Date();
    // The months for which there are partitions with it are sealed with it.
    const monthsAgo = firstMonthsAgo - (monthsAhead + 1) * this.#booked;
    const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo, 10));
    await makePartitions(this.#database.sql, from);
    await payPast(this.#database, { accountId, amountNano: paidNano, at: from });
    const numbered = chargesOfMonth * this.#booked;
    await bookPast(this.#database, {
      accountId,
      priceVersion: this.#priceVersion,
      from,
      count: chargesOfMonth,
      numbered,
    });
    this.#booked += 1;
    return from.toISOString().slice(0, 7);
  }
}
