/** What was done to the world, and when: the basis for checking a request. */

export interface Incident {
  readonly fault: string;
  /** Whom it may affect: `nothing`, the streams of `a proxy`, or all clients that need `Redis`. */
  readonly touches: 'nothing' | 'a proxy' | 'Redis';
  /** Redis may forget what it has confirmed. */
  readonly losesWrites?: true | undefined;
  readonly fromMs: number;
  /** When it was over and all clients were served again; undefined until then. */
  untilMs: number | undefined;
}

/** Whether an incident that may affect clients happened during this time. */
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
