/** An account that is charged, topped up and alerted at times that the test chooses. */
import { createUser } from '../../../admin/auth/create-user.ts';
import type { ExchangeRate } from '../../../admin/catalogue/exchange-rate/exchange-rate.ts';
import type { NotificationSettings } from '../../../admin/database/rows/notification-settings.ts';
import { applyCharges } from '../../../admin/ledger/charges/apply-charges.ts';
import { postCredit } from '../../../admin/ledger/post-credit.ts';
import { changeSettings } from '../../../admin/notifications/change-settings.ts';
import { writeDueAlerts } from '../../../admin/notifications/write-due-alerts.ts';
import { parseRubPerUsd, parseUsd } from '../../../shared/money.ts';
import { chargeOf, type TestLedger } from '../ledger/ledger.ts';

export const noon = new Date('2030-01-01T12:00:00Z');
export const hours = (count: number) => new Date(noon.getTime() + count * 3_600_000);

export const rateOf = (perUsd: string): ExchangeRate => ({
  rubPerUsd: parseRubPerUsd(perUsd),
  date: '2030-01-01',
  source: 'cbr',
});

const actor = { name: 'ada@example.com', userId: null, address: null, requestId: null };

/** By default the threshold is 500 RUB, which is 5 USD at the rate of 100, and the interval is 24 hours. */
export class Subject {
  rate = rateOf('100');
  readonly #ledger: TestLedger;

  constructor(
    ledger: TestLedger,
    readonly accountId: number,
    readonly email: string,
  ) {
    this.#ledger = ledger;
  }

  charge(usd: string, at = noon): Promise<unknown> {
    const charge = chargeOf(this.accountId, { costNano: parseUsd(usd) });
    return applyCharges(this.#ledger.sql, [charge], { rate: this.rate, at });
  }

  async topUp(usd: string): Promise<void> {
    const idempotencyKey = crypto.randomUUID();
    const input = { accountId: this.accountId, amountNano: parseUsd(usd), reason: 'test', idempotencyKey };
    await postCredit(this.#ledger.db, { ...input, type: 'payment' });
  }

  set(change: Partial<NotificationSettings>, at = noon): Promise<NotificationSettings> {
    return changeSettings(this.#ledger.sql, { actor, accountId: this.accountId, change }, { rate: this.rate, at });
  }

  owed(at: Date): Promise<number> {
    return writeDueAlerts(this.#ledger.sql, { rate: this.rate, at });
  }

  /** The balances in its alerts, in USD. */
  async alertBalances(): Promise<number[]> {
    return (await this.alerts()).map(([, usd]) => usd);
  }

  async alerts(): Promise<(readonly [event: string, usd: number])[]> {
    const mails = await this.#ledger.sql<{ event: string; nano: string }[]>`
      SELECT data->>'event' AS event, data->>'balanceNano' AS nano FROM mails WHERE recipient = ${this.email} ORDER BY id`;
    return mails.map(({ event, nano }) => [event, Number(nano) / 1e9]);
  }
}

export async function openSubject(ledger: TestLedger, usd: string): Promise<Subject> {
  const email = `${crypto.randomUUID()}@example.com`;
  const user = await createUser(ledger.db, {
    email,
    passwordHash: '',
    displayName: null,
    role: 'customer',
    ownership: 'proven',
  });
  const subject = new Subject(ledger, user.homeAccountId, email);
  await subject.topUp(usd);
  return subject;
}
