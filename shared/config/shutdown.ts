/**
 * The shutdown budget of the proxy and of admin. After a SIGTERM, a program announces for `SHUTDOWN_ANNOUNCE_SECONDS`
 * that it leaves, while it still serves new connections; then work in flight may continue for `SHUTDOWN_GRACE_SECONDS`.
 * `npm start` gives its programs that long before it kills them.
 */
import type { EnvironmentReader } from './environment.ts';

export interface ShutdownBudget {
  /** Load balancers have noticed by then that it is no longer ready. */
  readonly announceMs: number;
  /** How long requests and workers in flight may continue after that. */
  readonly graceMs: number;
}

const defaultAnnounceSeconds = 3;
const announceSecondsMax = 300;
/** Orchestrators kill after 30 seconds by default; announcement, grace and `closingMs` together stay below that. */
const defaultGraceSeconds = 20;
const graceSecondsMax = 3_600;
/** After the grace period: enough to abort the rest, to record its charges in Redis, and to close the connections. */
const closingMs = 6_500;

/** `announceSeconds` is the default of a setting without a load balancer. */
export function readShutdownBudget(
  environment: EnvironmentReader,
  { announceSeconds = defaultAnnounceSeconds } = {},
): ShutdownBudget {
  const announce = { fallback: announceSeconds, min: 0, max: announceSecondsMax };
  const grace = { fallback: defaultGraceSeconds, min: 0, max: graceSecondsMax };
  return {
    announceMs: environment.integer('SHUTDOWN_ANNOUNCE_SECONDS', announce) * 1_000,
    graceMs: environment.integer('SHUTDOWN_GRACE_SECONDS', grace) * 1_000,
  };
}

/** A program that still runs this long after SIGTERM is stuck and can be killed. */
export function killAfterMs({ announceMs, graceMs }: ShutdownBudget): number {
  return announceMs + graceMs + closingMs;
}
