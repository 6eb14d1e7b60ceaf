/**
 * Eight processes issue the documents of one database and are killed at random moments, until everything is issued.
 * Then every number must exist once, and every document.
 */
import { join } from 'node:path';
import { connectDatabase, type Database } from '../../admin/database/connect.ts';
import { countAllLots } from '../../admin/lots/count-lots.ts';
import { noteRunning } from '../../local/processes/child.ts';
import { billingTimeZone, openCompanies, use } from '../admin/documents/books.ts';
import { pay } from '../admin/lots/booked-money.ts';
import { createTestDatabase } from '../harness/postgres.ts';
import type { SeededRandom } from '../harness/seeded-random.ts';

export interface CampaignResult {
  readonly documents: number;
  readonly kills: number;
  readonly problems: readonly string[];
}

const processes = 8;
/** Of each account: an advance invoice, two acts, two tax invoices; and one invoice for each on average. */
const documentsPerAccount = 6;
const rowsAtOnce = 500;
const firstLifeMaxMs = 1_500;
const program = join(import.meta.dir, 'worker.ts');
/** Two months after the usage, when both are due. */
const now = new Date('2026-11-15T12:00:00Z');
const usedAt = [new Date('2026-09-10T12:00:00Z'), new Date('2026-10-10T12:00:00Z')];

export async function runCampaign(documents: number, random: SeededRandom): Promise<CampaignResult> {
  const { url, drop } = await createTestDatabase();
  const database = connectDatabase(url, { connections: 4 });
  try {
    const accounts = Math.ceil(documents / documentsPerAccount);
    await prepare(database, accounts, random);
    const kills = await issueUnderFire({ url, invoices: accounts, random });
    return { documents: await countDocuments(database), kills, problems: await verify(database, accounts) };
  } finally {
    await database.close();
    await drop();
  }
}

async function prepare(database: Database, count: number, random: SeededRandom): Promise<void> {
  const ids: number[] = [];
  while (ids.length < count) ids.push(...(await openCompanies(database, Math.min(rowsAtOnce, count - ids.length))));
  for (const accountId of ids) {
    await pay(database, {
      accountId,
      kopecks: BigInt(random.integer(100_000, 900_000)),
      nano: 10_000_000_000n,
      paidAt: now,
    });
  }
  const used = ids.flatMap((accountId) =>
    usedAt.map((at) => ({ accountId, at, nano: BigInt(random.integer(10_000_000, 4_000_000_000)) })),
  );
  for (let from = 0; from < used.length; from += rowsAtOnce) await use(database, used.slice(from, from + rowsAtOnce));
  // As the worker of lots does: what it has counted is found to be due.
  await countAllLots(database.db, { billingTimeZone });
}

interface Fire {
  readonly url: string;
  readonly invoices: number;
  readonly random: SeededRandom;
}

/** Returns how many processes were killed before they were done. */
async function issueUnderFire({ url, invoices, random }: Fire): Promise<number> {
  let kills = 0;
  const runSlot = async () => {
    // Longer each time, so that a slow machine finishes too.
    for (let lifeMaxMs = firstLifeMaxMs; ; lifeMaxMs *= 1.1) {
      const worker = Bun.spawn([process.execPath, program, url, now.toISOString(), String(invoices)], {
        stdout: 'pipe',
        stderr: 'inherit',
      });
      noteRunning(worker);
      await worker.stdout.getReader().read();
      const timer = setTimeout(() => worker.kill('SIGKILL'), random.integer(5, Math.round(lifeMaxMs)));
      const exitCode = await worker.exited;
      clearTimeout(timer);
      if (exitCode === 0) return;
      kills += 1;
    }
  };
  await Promise.all(Array.from({ length: processes }, runSlot));
  return kills;
}

async function countDocuments({ sql }: Database): Promise<number> {
  const [row] = await sql<{ count: string }[]>`SELECT count(*) FROM documents`;
  return Number(row?.count);
}

/** The problems, as sentences. */
async function verify({ sql }: Database, accounts: number): Promise<string[]> {
  const numbers = await sql<{ name: string; last: number; taken: string; highest: number }[]>`
    SELECT counter.type || ' of ' || counter.year AS name, counter.last, count(DISTINCT number) AS taken, max(number) AS highest
    FROM document_counters AS counter JOIN documents USING (type, year) GROUP BY counter.type, counter.year, counter.last`;
  const gaps = numbers
    .filter(({ last, taken, highest }) => Number(taken) !== last || highest !== last)
    .map(({ name, last, taken }) => `${name}: ${taken} numbers, but the counter says ${last}`);
  const expected = { act: 2, tax_invoice: 2, advance_invoice: 1 };
  const perAccount = await sql<{ type: keyof typeof expected; account_id: string; count: string }[]>`
    SELECT type, account_id, count(*) FROM documents WHERE type <> 'invoice' GROUP BY type, account_id`;
  const wrong = perAccount
    .filter(({ type, count }) => Number(count) !== expected[type])
    .map(({ type, account_id, count }) => `account ${account_id} has ${count} of ${type}`);
  const [all] = await sql<Record<string, string>[]>`
    SELECT (SELECT count(*) FROM documents WHERE type <> 'invoice') AS due,
      (SELECT count(*) FROM payments WHERE status = 'pending') AS orders,
      (SELECT count(*) FROM documents WHERE type = 'invoice') AS invoices,
      (SELECT count(*) FROM documents) AS documents,
      (SELECT count(DISTINCT data->>'documentId') FROM mails) AS mailed,
      (SELECT count(*) FROM mails) AS mails,
      (SELECT sum(used_kopecks) FROM lots) AS used,
      (SELECT sum(amount_kopecks) FROM documents WHERE type = 'act') AS acts`;
  const { due, orders, invoices, documents, mailed, mails, used, acts } = all ?? {};
  const sums = [
    Number(due) === accounts * 5 ? [] : `${due} documents are due for ${accounts} accounts`,
    orders === invoices ? [] : `${orders} orders have ${invoices} invoices`,
    documents === mailed && documents === mails ? [] : `${documents} documents were mailed ${mails} times`,
    used === acts ? [] : `acts sum to ${acts}, but ${used} kopecks were used`,
  ];
  return [...gaps, ...wrong, ...sums.flat()];
}
