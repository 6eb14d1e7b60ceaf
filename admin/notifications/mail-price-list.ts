/** Mails every operator what a published price list says differently from the catalogue. */
import { and, asc, eq, isNull } from 'drizzle-orm';
import { largeFactor } from '../catalogue/published-lists/compare-with-list.ts';
import type { PriceListNews } from '../catalogue/published-lists/daily-comparison.ts';
import type { Transaction } from '../database/connect.ts';
import { readSettings } from '../database/rows/notification-settings.ts';
import { users } from '../database/tables/accounts.ts';
import { queueMail } from '../mail/queue/queue-mail.ts';

const examplesMax = 10;

/** In the transaction that records that they were. */
export async function mailPriceList(transaction: Transaction, { url, comparison }: PriceListNews): Promise<void> {
  const changes = comparison.changed.flatMap(({ model, changes }) => changes.map((change) => ({ model, ...change })));
  const data = {
    listUrl: url,
    models: comparison.changed.length,
    examples: changes.slice(0, examplesMax).map(({ model, field, from, to }) => ({ model, field, from, to })),
    largeChanges: changes.filter(({ isLarge }) => isLarge).length,
    largeFactor: Number(largeFactor),
    newModels: comparison.added.length,
  };
  const operators = await transaction
    .select({ email: users.email, accountId: users.homeAccountId })
    .from(users)
    .where(and(eq(users.role, 'operator'), isNull(users.deletedAt)))
    .orderBy(asc(users.id));
  for (const { email: to, accountId } of operators) {
    const { language } = await readSettings(transaction, accountId);
    await queueMail(transaction, { kind: 'price_list_differs', data, to, language, accountId });
  }
}
