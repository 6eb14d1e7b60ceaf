/** What follows when every deployment that could be asked has failed: another round, or which error. */
import { GatewayError } from '../../../shared/errors.ts';
import type { Deployment } from '../../catalogue/catalogue.ts';
import { roundPauseMaxMs, roundPauseMs } from '../limits.ts';
import type { UpstreamFailure } from '../upstream-failure.ts';

/** Statuses after which the same deployment may well answer a moment later. */
const passing: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504, 529]);

export interface Tried {
  readonly deployment: Deployment;
  readonly failure: UpstreamFailure;
  /** Until when it wants to be left alone by this request. */
  readonly readyAtMs?: number;
}

/**
 * Never after a timeout: that request may still run, and would be billed twice. What is too large for a provider's quota
 * is so a moment later.
 */
export function mayPass({ reason, status, limit }: UpstreamFailure): boolean {
  if (limit === 'request') return false;
  return reason === 'unreachable' || (reason === 'refused' && status !== undefined && passing.has(status));
}

/** How long to wait for another round; undefined where none makes sense. `readyInMs` is when a deployment is ready. */
export function pauseBeforeRound(
  tried: readonly Tried[],
  { readyInMs, random }: { readyInMs: number; random: number },
): number | undefined {
  if (!tried.some(({ failure }) => mayPass(failure))) return undefined;
  if (tried.some(({ failure }) => failure.reason === 'timeout')) return undefined;
  if (readyInMs > roundPauseMaxMs) return undefined;
  // The draw comes on top, so that those who were told the same time do not all come back at it.
  const drawn = roundPauseMs.least + random * (roundPauseMs.most - roundPauseMs.least);
  return Math.min(Math.max(0, readyInMs) + drawn, roundPauseMaxMs + roundPauseMs.most);
}

/** `readyInMs` is when the first of the model's deployments is ready to be asked. */
export function errorAfter(tried: readonly Tried[], { model, readyInMs }: { model: string; readyInMs: number }) {
  const last = tried.at(-1)?.failure;
  if (last !== undefined && !tried.every(({ failure }) => isOverload(failure))) return last.toGatewayError();
  const message =
    last === undefined
      ? `No deployment of the model '${model}' is currently healthy.`
      : `Every deployment of the model '${model}' is currently overloaded.`;
  // A provider's own 429 speaks of the gateway's limits there, never of the customer's.
  return new GatewayError('no_healthy_deployment', message, {
    retryAfterSeconds: Math.max(1, Math.ceil(readyInMs / 1_000)),
    cause: last,
  });
}

function isOverload({ status, retryAfterMs }: UpstreamFailure): boolean {
  return status === 429 || status === 529 || (status === 503 && retryAfterMs !== undefined);
}
