/** How many requests each contender serves per second in a closed loop, for choosing a rate that it can sustain in an open one. */
import type { Contender, RunningContender } from '../contenders/contender.ts';
import { chatBody } from '../load/bodies.ts';
import { measure, warmUp } from '../measure/alternate.ts';
import type { Stage } from '../stage/stage.ts';
import { requestsPerSecond } from './figures.ts';
import type { Capacity } from './rates.ts';

const connections = 64;
const warmUpMs = 500;
const probeMs = 2_000;

/** Also warms them up. */
export async function measureCapacities(
  stage: Stage,
  started: readonly { readonly contender: Contender; readonly running: RunningContender }[],
): Promise<Capacity[]> {
  const probe = { body: chatBody('whole'), mode: { kind: 'closed', connections }, warmUpMs } as const;
  const capacities: Capacity[] = [];
  for (const { contender, running } of started) {
    await warmUp(stage, running, probe);
    const probed = await measure(stage, running, { ...probe, measureMs: stage.quick ? warmUpMs : probeMs });
    capacities.push({ name: contender.name, capacity: requestsPerSecond(probed) });
  }
  return capacities;
}
