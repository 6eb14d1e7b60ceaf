/**
 * The shutdown budget, `SHUTDOWN_GRACE_SECONDS`: how long work in flight may continue after a SIGTERM. The proxy and
 * admin keep to it, and `npm start` gives them that long before it kills them.
 */
import type { EnvironmentReader } from './environment.ts';

/** Orchestrators kill after 30 seconds by default; the grace and `closingMs` together stay below that. */
const defaultGraceSeconds = 20;
const graceSecondsMax = 3_600;
/** After the grace period: enough to abort the rest, to record its charges in Redis, and to close the connections. */
const closingMs = 8_000;

export function readShutdownGraceMs(environment: EnvironmentReader): number {
  const limits = { fallback: defaultGraceSeconds, min: 0, max: graceSecondsMax };
  return environment.integer('SHUTDOWN_GRACE_SECONDS', limits) * 1_000;
}

/** A program that still runs this long after SIGTERM is stuck and can be killed. */
export function killAfterMs(shutdownGraceMs: number): number {
  return shutdownGraceMs + closingMs;
}
