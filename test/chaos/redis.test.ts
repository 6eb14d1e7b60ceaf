/** Faults of Redis and its clock, in campaigns: `programs.test.ts` has the one that `npm test` brings about. */
import { inCampaign } from '../harness/campaigns.ts';
import { endureFaults } from './endure-faults.ts';
import {
  redisClockSetBack,
  redisFlushed,
  redisFrozen,
  redisKilled,
  redisLostWhilePostgresIsAway,
  redisRestarted,
} from './faults/redis-faults.ts';
import { whyNoOtherClock } from './world/other-clock.ts';

const clockUnavailable = await whyNoOtherClock();
if (clockUnavailable !== undefined) console.warn(`faults of clocks are skipped: ${clockUnavailable}`);

const faults = {
  'Redis killed: every charge is exact': redisKilled,
  'Redis restarted with its file: every charge is exact': redisRestarted,
  'Redis frozen: commands that timed out and ran later are charged once': redisFrozen,
  'Redis emptied by FLUSHALL: every charge is exact by replay': redisFlushed,
};
const ofClocks = {
  'Redis restarted with its clock set back: every charge is exact': redisClockSetBack,
  'Postgres away while Redis changes its clock and loses everything: every charge is exact':
    redisLostWhilePostgresIsAway,
};

if (inCampaign(false, true)) endureFaults(20_260_803, { ...faults, ...(clockUnavailable === undefined && ofClocks) });
