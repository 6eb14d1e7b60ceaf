/** What can happen in a run. A run of admin that is killed throws at one of its steps, and leaves what it has done so far. */
import { archiveUsage } from '../../admin/ledger/archive/archive-usage.ts';
import { keepSealed } from '../../admin/ledger/seals/keep-sealed.ts';
import { readSeals } from '../../admin/ledger/seals/seal.ts';
import { type SealDueWork, sealDue } from '../../admin/ledger/seals/seal-due.ts';
import { verifyMonth } from '../../admin/ledger/seals/verify-month.ts';
import { countAllLots } from '../../admin/lots/count-lots.ts';
import { checkBooks, findViolation } from '../../admin/wallets/reconcile/checks/check-books.ts';
import { createLog } from '../../shared/log.ts';
import type { RedisClient } from '../../shared/redis/connect.ts';
import type { World } from './world.ts';

const hourMs = 3_600_000;
const log = createLog({ program: 'simulation', level: 'silent' });
const { signal } = new AbortController();
const killed = new Error('killed');
const rowsInBlock = 7;
/** That the archive leaves in Postgres. */
const monthsKept = 2;

export const weights = {
  charge: 40,
  correction: 10,
  book: 20,
  'book, killed after the commit': 3,
  'booking stops': 2,
  'booking resumes': 6,
  pay: 5,
  hours: 8,
  days: 16,
  seal: 7,
  'seal, killed': 5,
  'two seals': 2,
  archive: 3,
  'archive, killed': 3,
  verify: 4,
  reconcile: 3,
  'a late charge': 3,
  'a wrong balance': 2,
  'the balance is put right': 5,
};

export type Step = keyof typeof weights;

export async function takeStep(world: World, step: Step): Promise<void> {
  const { random } = world;
  switch (step) {
    case 'charge':
      return world.charge();
    case 'correction':
      return world.correctSome();
    case 'book':
      await world.book(random.integer(1, 20));
      return;
    case 'book, killed after the commit':
      await world.book(random.integer(1, 20), true);
      return;
    case 'booking stops':
    case 'booking resumes':
      world.isBookingPaused = step === 'booking stops';
      return;
    case 'pay':
      return world.pay();
    case 'hours':
      return world.advance(random.integer(0, 3) * (hourMs / 2));
    case 'days':
      return world.advance(random.integer(1, 300) * hourMs);
    case 'seal':
      return seal(world);
    case 'seal, killed':
      return untilKilled(world, (onStep) => seal(world, onStep));
    case 'two seals':
      await Promise.all([seal(world), seal(world)]);
      return;
    case 'archive':
      return archive(world);
    case 'archive, killed':
      return untilKilled(world, (onStep) => archive(world, onStep));
    case 'verify':
      return verify(world, random.pickIfAny(await sealedMonths(world)), random.chance(0.5));
    case 'reconcile':
      return reconcile(world);
    case 'a late charge': {
      const month = random.pickIfAny(await sealedMonths(world));
      if (month === undefined) return;
      const from = new Date(`${month}-01T00:00:00Z`);
      return world.chargeTooLate(from.getTime(), Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1));
    }
    case 'a wrong balance':
      return world.setWrong(7n);
    case 'the balance is put right':
      return world.setWrong(0n);
  }
}

export async function sealedMonths({ ledger }: World): Promise<string[]> {
  const seals = await readSeals(ledger.sql);
  return seals.filter(({ hash }) => hash !== null).map(({ month }) => month.month.slice(0, 7));
}

/** No shard of it has an entry. */
const emptyRedis = { xrange: async () => [] } as unknown as RedisClient;

function sealWork(world: World, onStep: (step: string) => void = () => {}): SealDueWork {
  const { ledger, redis, now, mutant } = world;
  return {
    ...{ sql: ledger.sql, now, rowsInBlock, onStep },
    redis: mutant === 'a month that is sealed while its charges wait' ? emptyRedis : redis,
    findViolation: async () =>
      mutant === 'a month that is sealed although its books are wrong' ? undefined : findViolation(ledger.sql),
  };
}

async function seal(world: World, onStep?: (step: string) => void): Promise<void> {
  const done = await sealDue(sealWork(world, onStep));
  if (done !== undefined && done.sealed.length > 0 && world.wrongNano !== 0n)
    world.violate(`${done.sealed[0]?.month} was sealed although a balance is wrong`);
}

async function archive({ ledger, now }: World, onStep: (step: string) => void = () => {}): Promise<void> {
  await countAllLots(ledger.db, { billingTimeZone: 'UTC' });
  const options = { months: monthsKept, store: ledger.archive.store, now, onStep, rowsInGroup: rowsInBlock };
  await archiveUsage(ledger.sql, options);
}

/** At one of the first steps that it comes to, if it comes to as many. */
async function untilKilled({ random }: World, run: (onStep: (step: string) => void) => Promise<void>): Promise<void> {
  let left = random.integer(1, 12);
  const onStep = () => {
    left -= 1;
    if (left === 0) throw killed;
  };
  await run(onStep).catch((error: unknown) => {
    if (error !== killed) throw error;
  });
}

async function verify(world: World, month: string | undefined, readsFiles: boolean): Promise<void> {
  const { sql, archive } = world.ledger;
  if (month === undefined) return;
  const verified = await verifyMonth({ sql, archive, readsFiles }, month);
  for (const problem of verified?.problems ?? ['is not sealed']) world.violate(`${month}, unchanged: ${problem}`);
}

async function reconcile(world: World): Promise<void> {
  const found = await checkBooks(world.ledger.sql, { accountId: undefined });
  if (world.wrongNano !== 0n) {
    if (found.length === 0) world.violate('a wrong balance was not found');
  } else for (const { message } of found) world.violate(message);
}

/** Everything is booked, sealed and compared. */
export async function comeToRest(world: World): Promise<void> {
  world.isBookingPaused = false;
  await world.setWrong(0n);
  await world.correctAll();
  while ((await world.book(50)) > 0);
  await world.advance(12 * 24 * hourMs);
  await seal(world);
  await archive(world);
  for (const month of await sealedMonths(world)) await verify(world, month, true);
  await reconcile(world);
}

/** What the worker of admin finds, once it has had an hour for each sealed month. */
export async function problemsByHour(world: World): Promise<ReadonlySet<string>> {
  const { ledger, redis, now } = world;
  const { sql, archive } = ledger;
  let nowMs = 0;
  const work = { sql, archive, redis, log, now, findViolation: async () => undefined };
  const step = keepSealed(work, () => nowMs);
  if (world.mutant !== 'a sealed month that is not compared with its seal') {
    for (let left = (await sealedMonths(world)).length; left > 0; left -= 1) {
      await step({ inCharge: true, signal });
      nowMs += hourMs;
      await sql`UPDATE seal_checks SET checked_at = checked_at - interval '1 hour'`;
    }
  }
  const found = await sql<{ month: string }[]>`
    SELECT to_char(month, 'YYYY-MM') AS month FROM seal_checks WHERE cardinality(problems) > 0`;
  return new Set(found.map(({ month }) => month));
}
