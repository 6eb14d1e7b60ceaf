/** What a step of background work that one admin at a time does is called with. */
export interface Turn {
  /** Whether this is that admin. */
  readonly inCharge: boolean;
  /** Aborted when admin shuts down. */
  readonly signal: AbortSignal;
}
