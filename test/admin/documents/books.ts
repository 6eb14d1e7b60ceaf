/** Books to issue documents from: companies, payments, usage, and the seller of the demonstration. */
import { join } from 'node:path';
import type { Database } from '../../../admin/database/connect.ts';
import { accounts, users } from '../../../admin/database/tables/accounts.ts';
import { companyDetails } from '../../../admin/database/tables/company-details.ts';
import type { DocumentServices } from '../../../admin/documents/document-services.ts';
import { readSeller } from '../../../admin/documents/seller/read-seller.ts';
import { applyCharges } from '../../../admin/ledger/charges/apply-charges.ts';
import { detailOf } from '../../harness/wallet/charge-detail.ts';
import { chargeOf } from '../ledger/ledger.ts';

export const sellerFile = join(import.meta.dir, '../../../local/start/demo-seller.yaml');
export const seller = readSeller(sellerFile);
export const billingTimeZone = 'Europe/Moscow';

export const company = {
  accountType: 'OOO',
  companyName: 'ООО «Ромашка»',
  inn: '7707083893',
  kpp: '770701001',
  ogrn: '1027700132195',
  legalAddress: 'Москва, ул. Полевая, 1',
  directorName: 'Петров П. П.',
  bankName: 'АО «Демо-Банк»',
  bik: '044525999',
  checkingAccount: '40702810300000000123',
  correspondentAccount: '30101810600000000999',
} as const;

/** At a time that the test chooses. */
export function documentServices(database: Database, now: Date): DocumentServices {
  return { config: { payments: { billingTimeZone } }, database, seller, now: () => now };
}

/** Accounts of companies with complete details, each with a user. Returns their ids. */
export async function openCompanies({ db }: Database, count: number): Promise<number[]> {
  const opened = await db
    .insert(accounts)
    .values(Array.from({ length: count }, () => ({})))
    .returning({ id: accounts.id });
  const ids = opened.map(({ id }) => id);
  await db
    .insert(users)
    .values(ids.map((homeAccountId) => ({ homeAccountId, email: `${homeAccountId}@example.com`, passwordHash: '' })));
  await db.insert(companyDetails).values(ids.map((accountId) => ({ accountId, ...company })));
  return ids;
}

export interface Used {
  readonly accountId: number;
  readonly nano: bigint;
  readonly at: Date;
  readonly model?: string;
  readonly keyId?: number;
}

export async function use({ sql }: Database, used: readonly Used[]): Promise<void> {
  const charges = used.map(({ accountId, nano, at, model = 'test/chat', keyId = 1 }) =>
    chargeOf(accountId, {
      keyId,
      costNano: nano,
      chargedAt: at,
      detail: detailOf({ model, startedAtMs: at.getTime() }),
    }),
  );
  await applyCharges(sql, charges);
}
