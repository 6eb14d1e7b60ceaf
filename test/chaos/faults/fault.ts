/** A fault: what it does to the world, and what it may cost clients meanwhile. */

import type { SeededRandom } from '../../harness/seeded-random.ts';
import type { Incident } from '../incident.ts';
import type { Load } from '../load.ts';
import type { World } from '../world.ts';

export interface FaultOptions {
  readonly random: SeededRandom;
  /** How long what is taken away stays away, where the fault lets one choose. */
  readonly awayMs: number;
}

export interface Fault {
  readonly name: string;
  readonly touches: Incident['touches'];
  /** Resolves when it is over and what was killed has been replaced. */
  inject(world: World, options: FaultOptions): Promise<void>;
}

/** Resolves when everybody is served again. Rejects if that does not happen within half a minute. */
export async function inject(
  fault: Fault,
  world: World,
  options: FaultOptions & { readonly load: Load },
): Promise<void> {
  const { load, ...rest } = options;
  const incident: Incident = { fault: fault.name, touches: fault.touches, fromMs: Date.now(), untilMs: undefined };
  world.incidents.push(incident);
  await fault.inject(world, rest);
  await load.whenServing();
  incident.untilMs = Date.now();
}
