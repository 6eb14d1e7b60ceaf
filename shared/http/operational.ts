/**
 * What both programs' operational routes have in common. /metrics may be read by callers that present METRICS_TOKEN,
 * or, if it is not set, by everyone who can reach the port.
 */
import { timingSafeEqual } from 'node:crypto';
import type { EnvironmentReader, Secrets } from '../config/environment.ts';
import { GatewayError } from '../errors.ts';
import { bearerToken } from './request-headers.ts';

/** From METRICS_TOKEN or the file that METRICS_TOKEN_FILE names; empty if neither is set. */
export function readMetricsTokens(environment: EnvironmentReader): Secrets {
  const refuse = (tokens: readonly string[]) =>
    tokens.every((token) => /^[!-~]+$/.test(token))
      ? undefined
      : 'METRICS_TOKEN must be printable ASCII without spaces, and not empty';
  return environment.optionalSecrets('METRICS_TOKEN', refuse) ?? (() => []);
}

/** Undefined if the caller may read them. */
export function refuseMetrics(authorization: string | null, metricsTokens: readonly string[]) {
  const shown = bearerToken(authorization) ?? '';
  if (metricsTokens.length === 0 || metricsTokens.some((token) => isSame(shown, token))) return undefined;
  return new GatewayError('invalid_token', '/metrics requires METRICS_TOKEN as a bearer token.');
}

/** A warning; undefined if /metrics requires the token, or the port is not reachable from other machines. */
export function describeOpenMetrics(config: {
  readonly host: string;
  readonly metricsTokens: readonly string[];
}): string | undefined {
  if (config.metricsTokens.length > 0 || isLoopback(config.host)) return undefined;
  return '/metrics is open to anyone who can reach this port. Set METRICS_TOKEN to require a bearer token.';
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
