/**
 * What both programs' operational routes have in common. /metrics may be read by callers that present METRICS_TOKEN,
 * or, if it is not set, by everyone who can reach the port.
 */
import { timingSafeEqual } from 'node:crypto';
import type { EnvironmentReader } from '../config/environment.ts';
import { GatewayError } from '../errors.ts';
import { bearerToken } from './request-headers.ts';

/** From METRICS_TOKEN or the file that METRICS_TOKEN_FILE names; undefined if neither is set. */
export function readMetricsToken(environment: EnvironmentReader): string | undefined {
  const token = environment.optionalSecret('METRICS_TOKEN');
  const isUsable = token === undefined || /^[!-~]+$/.test(token);
  environment.check(isUsable, 'METRICS_TOKEN must be printable ASCII without spaces, and not empty');
  return token;
}

/** Undefined if the caller may read them. */
export function refuseMetrics(authorization: string | null, metricsToken: string | undefined) {
  if (metricsToken === undefined || isSame(bearerToken(authorization) ?? '', metricsToken)) return undefined;
  return new GatewayError('invalid_token', '/metrics requires METRICS_TOKEN as a bearer token.');
}

/** A warning; undefined if /metrics requires the token, or the port is not reachable from other machines. */
export function describeOpenMetrics(config: { host: string; metricsToken: string | undefined }): string | undefined {
  if (config.metricsToken !== undefined || isLoopback(config.host)) return undefined;
  return '/metrics is open to everyone who can reach this port. Set METRICS_TOKEN to require a bearer token.';
}

/** Digests have equal lengths, so the timing does not reveal the token's length either. */
function isSame(shown: string, expected: string): boolean {
  return timingSafeEqual(digestOf(shown), digestOf(expected));
}

function digestOf(text: string): Buffer {
  return new Bun.CryptoHasher('sha256').update(text).digest();
}

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|(::ffff:127(\.\d{1,3}){3})|::1|\[::1\])$/i.test(host);
}

/** The response of `/readyz` in both programs, with status 200 or 503. */
interface Readiness {
  readonly status: 'ready' | 'not_ready';
  /** Names of what is missing; empty when ready. */
  readonly missing: readonly string[];
}

export function renderReadiness(missing: readonly string[]): Readiness {
  return { status: missing.length === 0 ? 'ready' : 'not_ready', missing };
}
