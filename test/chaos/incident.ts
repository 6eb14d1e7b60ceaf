/** What was done to the world, and when: by this a request's fate is judged. */

export interface Incident {
  readonly fault: string;
  /** What it may cost clients: `nothing`, the `streams` of one proxy, or also that Redis does not `answer`. */
  readonly touches: 'nothing' | 'a proxy' | 'Redis';
  readonly fromMs: number;
  /** When it was over; undefined while it goes on. */
  untilMs: number | undefined;
}

/** Proxies find Redis again, shards recover, and a killed replica is replaced, within this time. */
const aftermathMs = 12_000;

/** Whether an incident that may cost clients something fell into this time, its aftermath included. */
export function wasTroubled(
  incidents: readonly Incident[],
  time: { fromMs: number; untilMs: number },
  touches: readonly Incident['touches'][],
): boolean {
  return incidents.some(
    (incident) =>
      touches.includes(incident.touches) &&
      incident.fromMs <= time.untilMs &&
      (incident.untilMs ?? Number.POSITIVE_INFINITY) + aftermathMs >= time.fromMs,
  );
}
