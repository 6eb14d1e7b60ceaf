/** `gateway document`: an operator makes, lists, writes and corrects documents without a dashboard. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type Harness, startHarness } from '../../harness.ts';
import { openCompanies, sellerFile, use } from '../documents/books.ts';
import { pay } from '../lots/booked-money.ts';
import { type Gateway, gatewayOf } from './run-gateway.ts';

interface Made {
  readonly id: string;
  readonly number: number;
  readonly amount: string;
}

let harness: Harness;
let gateway: Gateway;
let accountId: number;
beforeAll(async () => {
  harness = await startHarness();
  gateway = gatewayOf(harness);
  [accountId = 0] = await openCompanies(harness.database, 1);
  await pay(harness.database, { accountId, kopecks: 100_000n, nano: 10_000_000_000n });
  await use(harness.database, [{ accountId, nano: 2_000_000_000n, at: new Date('2026-09-10T12:00:00Z') }]);
});
afterAll(() => harness.stop());

const environment = { SELLER_FILE: sellerFile };
const run = <Json>(...args: string[]) => gateway<Json>(['document', ...args, '--json'], { environment });

test('an act is created, listed, written to a file and corrected', async () => {
  const of = ['--account', String(accountId)];
  const made = await run<Made>('make', ...of, '--type', 'act', '--month', '2026-09');
  expect(made.json).toMatchObject({ type: 'act', number: 1, amount: '200.00' });
  const listed = await run<{ documents: Made[] }>('list', ...of, '--type', 'act');
  expect(listed.json.documents).toMatchObject([{ id: made.json.id, accountId }]);

  const file = join(harness.directory, 'act.pdf');
  expect((await run('pdf', made.json.id, '--file', file)).json).toEqual({ id: made.json.id, file });
  expect(await Bun.file(file).text()).toStartWith('%PDF-');

  const corrected = await run<Made>('correct', made.json.id, '--reason', 'Renamed');
  expect(corrected.json).toMatchObject({ number: 2, amount: '200.00', correctsId: made.json.id });
  const [entry] = await harness.database.sql`SELECT reason FROM audit_entries WHERE action = 'document.correct'`;
  expect(entry?.reason).toBe('Renamed');
});

test('no document is created without a seller', async () => {
  const args = ['document', 'make', '--account', String(accountId), '--type', 'act', '--month', '2026-09', '--json'];
  const { exitCode, error } = await gateway(args);
  expect([exitCode, error?.code]).toEqual([1, 'documents_unavailable']);
});

test.each([
  { args: ['list', '--type', 'letter'], exitCode: 2 },
  { args: ['pdf', '17'], exitCode: 2 },
  { args: ['make', '--account', '1', '--type', 'invoice'], exitCode: 1 },
])('a wrong call of document $args.0 is refused', async ({ args, exitCode }) => {
  expect((await run(...args)).exitCode).toBe(exitCode);
});
