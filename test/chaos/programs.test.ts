/** Faults of proxy, admin and Postgres; in `npm test`, one of admin and one of Redis, which share a world. */
import { inCampaign } from '../harness/campaigns.ts';
import { endureFaults } from './endure-faults.ts';
import {
  adminFrozen,
  adminKilledAfterCommit,
  adminKilledBeforeCommit,
  adminsKilledWhileSealing,
} from './faults/admin-faults.ts';
import type { Fault } from './faults/fault.ts';
import { postgresKilled, postgresStopped } from './faults/postgres-faults.ts';
import {
  proxyFrozen,
  proxyKilledAfterReserve,
  proxyKilledInSettle,
  proxyKilledInStreams,
} from './faults/proxy-faults.ts';
import { redisLost } from './faults/redis-faults.ts';

/** Postgres is restarted in `restarts/`, and a proxy is killed in `main-job/crashes.test.ts`. */
const part = {
  'admin killed after its commit: charges that are read again are not booked again': adminKilledAfterCommit,
  'Redis lost with its file: every charge is exact by replay': redisLost,
};
const others = {
  'Postgres killed: no request fails because of it, and everything is booked once': postgresKilled,
  'admin killed before its commit: the next one books everything, once': adminKilledBeforeCommit,
  'admins killed while they seal a month: the next ones continue, and it is what was booked': adminsKilledWhileSealing,
  'admin frozen: no client notices, and everything is booked once': adminFrozen,
  'Postgres stopped: no request fails because of it, and everything is booked afterwards': postgresStopped,
  'proxy killed in mid-stream: no customer pays for more than the provider has written': proxyKilledInStreams,
  'proxy killed between reserve and send: no customer pays for what no provider got': proxyKilledAfterReserve,
  'proxy killed while it settles: charged once or not at all': proxyKilledInSettle,
  'proxy frozen until its holds have expired: its late charge replaces the estimate': proxyFrozen,
};

endureFaults(20_260_801, inCampaign<Readonly<Record<string, Fault>>>(part, { ...part, ...others }, others));
