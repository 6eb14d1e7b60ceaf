/** Redis on several topologies, or what a test builds on them, started beside each other: most of each start is waiting. */
import type { TopologyKind } from './topology.ts';

/** Rows for `describe.each`; a start that fails does so where it is awaited. */
export function startBeside<Started>(
  kinds: readonly TopologyKind[],
  start: (kind: TopologyKind) => Promise<Started>,
): [TopologyKind, Promise<Started>][] {
  return kinds.map((kind) => {
    const started = start(kind);
    started.catch(() => {});
    return [kind, started];
  });
}
