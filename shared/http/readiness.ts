/** The response of `/readyz` in both programs, with status 200 or 503. */
export interface Readiness {
  readonly status: 'ready' | 'not_ready';
  /** Names of what is missing; empty when ready. */
  readonly missing: readonly string[];
}

export function renderReadiness(missing: readonly string[]): Readiness {
  return { status: missing.length === 0 ? 'ready' : 'not_ready', missing };
}
