/** Faults of an admin: killed before and after its commit, and frozen. No client may notice any of them. */
import { waitFor } from '../../harness/account-view.ts';
import type { World } from '../world/world.ts';
import type { Fault } from './fault.ts';
import { pauseWrites, resumeWrites } from './paused-writes.ts';

const waitMs = 120_000;

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
