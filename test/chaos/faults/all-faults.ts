/** All faults, and how long each lasts in the long form. */
import {
  adminFrozen,
  adminKilledAfterCommit,
  adminKilledBeforeCommit,
  adminsKilledWhileSealing,
} from './admin-faults.ts';
import type { Fault } from './fault.ts';
import { postgresKilled, postgresStopped } from './postgres-faults.ts';
import { proxyFrozen, proxyKilledAfterReserve, proxyKilledInSettle, proxyKilledInStreams } from './proxy-faults.ts';
import {
  redisClockSetBack,
  redisFlushed,
  redisFrozen,
  redisKilled,
  redisLost,
  redisLostWhilePostgresIsAway,
  redisRestarted,
} from './redis-faults.ts';

export interface LongFault {
  readonly fault: Fault;
  readonly awayMsMin: number;
  readonly awayMsMax: number;
}

/** Unordered: the seed chooses the order. */
export const longFaults: readonly LongFault[] = [
  { fault: proxyKilledInStreams, awayMsMin: 0, awayMsMax: 0 },
  { fault: proxyKilledAfterReserve, awayMsMin: 0, awayMsMax: 0 },
  { fault: proxyKilledInSettle, awayMsMin: 0, awayMsMax: 0 },
  { fault: proxyFrozen, awayMsMin: 2_000, awayMsMax: 15_000 },
  { fault: adminKilledBeforeCommit, awayMsMin: 0, awayMsMax: 0 },
  { fault: adminKilledAfterCommit, awayMsMin: 0, awayMsMax: 0 },
  { fault: adminsKilledWhileSealing, awayMsMin: 0, awayMsMax: 0 },
  // Longer than the time after which Postgres ends an idle transaction.
  { fault: adminFrozen, awayMsMin: 2_000, awayMsMax: 35_000 },
  { fault: redisRestarted, awayMsMin: 0, awayMsMax: 0 },
  { fault: redisKilled, awayMsMin: 0, awayMsMax: 0 },
  { fault: redisFrozen, awayMsMin: 2_500, awayMsMax: 6_000 },
  { fault: redisFlushed, awayMsMin: 0, awayMsMax: 0 },
  { fault: redisLost, awayMsMin: 0, awayMsMax: 0 },
  { fault: redisClockSetBack, awayMsMin: 0, awayMsMax: 0 },
  { fault: redisLostWhilePostgresIsAway, awayMsMin: 2_000, awayMsMax: 30_000 },
  { fault: postgresStopped, awayMsMin: 3_000, awayMsMax: 60_000 },
  { fault: postgresKilled, awayMsMin: 0, awayMsMax: 0 },
];
