/** Faults of an admin: killed before and after its commit, killed while it seals a month, and frozen. No client may notice any of them. */
import { waitFor } from '../../harness/account-view.ts';
import type { World } from '../world/world.ts';
import type { Fault } from './fault.ts';
import { pauseWrites, resumeWrites } from './paused-writes.ts';

const waitMs = 120_000;
const sealLookMs = 100;
const sealLooks = 600;
const replacementsMax = 5;

/** Its transaction has written heads and events, and is waiting for the accounts. */
export const adminKilledBeforeCommit: Fault = {
  name: 'admin killed before its commit',
  touches: 'nothing',
  inject: async (world, { random }) => {
    await world.database.sql.begin(async (transaction) => {
      await transaction`SELECT FROM accounts ORDER BY id FOR NO KEY UPDATE`;
      await whenAdminsWait(world);
      await world.admins.kill(random.pick(world.admins.alive));
    });
    await world.admins.add();
  },
};

/** What it has booked is still in the stream, and is read again. */
export const adminKilledAfterCommit: Fault = {
  name: 'admin killed between commit and acknowledgement',
  touches: 'nothing',
  inject: async (world, { random }) => {
    const booked = await bookedRequests(world);
    await world.database.sql.begin(async (transaction) => {
      await transaction`SELECT FROM accounts ORDER BY id FOR NO KEY UPDATE`;
      await whenAdminsWait(world);
      await pauseWrites(world);
    });
    await waitFor('a commit', waitMs, async () => (await bookedRequests(world)) > booked);
    await world.admins.kill(random.pick(world.admins.alive));
    await resumeWrites(world);
    await world.admins.add();
  },
};

/** They wait to store the first hashes; the next ones continue what they have begun. */
export const adminsKilledWhileSealing: Fault = {
  name: 'admins killed while they seal a month',
  touches: 'nothing',
  inject: async (world) => {
    const month = await world.past.book();
    await world.database.sql.begin(async (transaction) => {
      await transaction`SET LOCAL idle_in_transaction_session_timeout = 0`;
      await transaction`LOCK TABLE sealed_blocks IN SHARE MODE`;
      await replaceAdmins(world);
      await whenAdminsWait(world);
      await replaceAdmins(world);
    });
    for (let left = replacementsMax; !(await isSealedSoon(world, month)); left -= 1) {
      if (left === 0) throw new Error(`${month} is not sealed`);
      await replaceAdmins(world);
    }
  },
};

/** Seals what is due when it is in charge for the first time, and then only once an hour. */
async function replaceAdmins({ admins }: World): Promise<void> {
  for (const admin of admins.alive) {
    await admins.add();
    await admins.kill(admin);
  }
}

async function isSealedSoon({ database }: World, month: string): Promise<boolean> {
  for (let look = 0; look < sealLooks; look += 1) {
    const [found] = await database.sql`
      SELECT FROM sealed_months WHERE month = ${`${month}-01`} AND finished_at IS NOT NULL`;
    if (found !== undefined) return true;
    await Bun.sleep(sealLookMs);
  }
  return false;
}

export const adminFrozen: Fault = {
  name: 'admin frozen',
  touches: 'nothing',
  inject: async (world, { random, awayMs }) => {
    const victim = random.pick(world.admins.alive);
    world.admins.freeze(victim);
    await Bun.sleep(awayMs);
    world.admins.thaw(victim);
  },
};

async function whenAdminsWait({ database }: World): Promise<void> {
  await waitFor('admins to wait for the accounts', waitMs, async () => {
    const waiting = await database.sql`SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND application_name = 'gateway-admin'`;
    return waiting.length > 0;
  });
}

async function bookedRequests({ database }: World): Promise<number> {
  const [row] = await database.sql<{ count: number }[]>`SELECT count(*)::int AS count FROM charged_requests`;
  return row?.count ?? 0;
}
