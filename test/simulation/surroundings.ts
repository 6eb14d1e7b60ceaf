/** What simulated programs see of the world in which they run. */
import type { SeededRandom } from '../harness/seeded-random.ts';
import type { Counter } from './counter.ts';
import type { ModelLedger } from './model-ledger.ts';
import type { Mutant } from './mutants.ts';
import type { Profile } from './profiles.ts';

export interface Surroundings {
  readonly random: SeededRandom;
  readonly mutant: Mutant | undefined;
  readonly profile: Profile;
  readonly faults: Counter;
  readonly ledger: ModelLedger;
  readonly redis: { readonly identity: string };
  /** Requests that are still on their way to Redis. */
  readonly later: (() => Promise<unknown>)[];
  /** By the wall. */
  readonly nowMs: number;
  /** By the clock with which programs measure durations; it is never set back. */
  readonly elapsedMs: number;
  readonly faulty: boolean;
  readonly postgresDown: boolean;
  readonly redisLostWrites: boolean;
  nextRequestId(): string;
}
