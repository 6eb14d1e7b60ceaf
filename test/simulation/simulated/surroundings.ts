/** What simulated programs see of their environment. */
import type { SeededRandom } from '../../harness/seeded-random.ts';
import type { Counter } from '../counter.ts';
import type { Mutant } from '../mutants.ts';
import type { Profile } from '../profiles.ts';
import type { ModelLedger } from './model-ledger.ts';
import type { SimulatedKeys } from './simulated-keys.ts';

export interface Surroundings {
  readonly random: SeededRandom;
  readonly mutant: Mutant | undefined;
  readonly profile: Profile;
  readonly faults: Counter;
  readonly ledger: ModelLedger;
  readonly keys: SimulatedKeys;
  readonly redis: { readonly identity: string };
  /** Requests that are still on their way to Redis. */
  readonly later: (() => Promise<unknown>)[];
  /** By the wall clock. */
  readonly nowMs: number;
  /** By the monotonic clock. */
  readonly elapsedMs: number;
  readonly faulty: boolean;
  readonly postgresDown: boolean;
  readonly redisLostWrites: boolean;
  nextRequestId(): string;
}
