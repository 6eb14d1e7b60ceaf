/** What was done to the world, and when: by this a request's fate is judged. */

export interface Incident {
  readonly fault: string;
  /** What it may cost clients: `nothing`, the `streams` of one proxy, or also that Redis does not `answer`. */
  readonly touches: 'nothing' | 'a proxy' | 'Redis';
  readonly fromMs: number;
  /** When it was over and everybody was served again; undefined until then. */
  untilMs: number | undefined;
}

/** Whether an incident that may cost clients something fell into this time. */
export function wasTroubled(
  incidents: readonly Incident[],
  time: { fromMs: number; untilMs: number },
  touches: readonly Incident['touches'][],
): boolean {
  return incidents.some(
    (incident) =>
      touches.includes(incident.touches) &&
      incident.fromMs <= time.untilMs &&
      (incident.untilMs ?? Number.POSITIVE_INFINITY) >= time.fromMs,
  );
}
