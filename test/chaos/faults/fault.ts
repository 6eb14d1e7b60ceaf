/** A fault: what it does to the world, and what clients may notice during it. */
import { leaseSpanMs } from '../../../shared/wallet/lease.ts';
import type { SeededRandom } from '../../harness/seeded-random.ts';
import type { Load } from '../load/load.ts';
import type { Incident } from '../verification/incident.ts';
import type { World } from '../world/world.ts';

export interface FaultOptions {
  readonly random: SeededRandom;
  /** How long a server stays down, if the fault lets the caller choose. */
  readonly awayMs: number;
}

export interface Fault {
  readonly name: string;
  readonly touches: Incident['touches'];
  /** By default, Redis forgets nothing that it has confirmed. */
  readonly losesWrites?: true;
  /** Resolves when it is over and every killed program has been replaced. */
  inject(world: World, options: FaultOptions): Promise<void>;
}

/** Resolves when all clients are served again. Rejects if that takes longer than half a minute. */
export async function inject(
  fault: Fault,
  world: World,
  options: FaultOptions & { readonly load: Load },
): Promise<void> {
  const { load, ...rest } = options;
  const { name, touches, losesWrites } = fault;
  const incident: Incident = { fault: name, touches, losesWrites, fromMs: Date.now(), untilMs: undefined };
  world.incidents.push(incident);
  await fault.inject(world, rest);
  // For so long clients are served from leases whether Redis is there or not.
  if (touches === 'Redis') await Bun.sleep(leaseSpanMs);
  await load.whenServing();
  incident.untilMs = Date.now();
}
