/** Decides what happens when every deployment has failed, another round or which error, and waits for that round. */
import { GatewayError } from '../../../../shared/errors.ts';
import { roundPauseMaxMs, roundPauseMs } from '../../../nouns/limits.ts';
import { UpstreamFailure } from '../../../nouns/upstream-failure.ts';
import type { Deployment } from '../../../pricing/catalogue.ts';

/** Statuses after which the same deployment may succeed a moment later. */
const transientStatuses: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504, 529]);

export interface FailedAttempt {
  readonly deployment: Deployment;
  readonly failure: UpstreamFailure;
  /** When this request may retry it. */
  readonly readyAtMs?: number;
}

/**
 * Whether a retry may succeed. Never after a timeout: that request may still be running, and would be billed twice. A
 * request too large for a provider's quota stays too large.
 */
export function mayPass({ reason, status, limit }: UpstreamFailure): boolean {
  if (limit === 'request') return false;
  return reason === 'unreachable' || (reason === 'refused' && status !== undefined && transientStatuses.has(status));
}

/** How long to wait before another round; undefined if it makes no sense. `readyInMs` is when a deployment is ready. */
export function pauseBeforeRound(
  tried: readonly FailedAttempt[],
  { readyInMs, random }: { readyInMs: number; random: number },
): number | undefined {
  if (!tried.some(({ failure }) => mayPass(failure))) return undefined;
  if (tried.some(({ failure }) => failure.reason === 'timeout')) return undefined;
  if (readyInMs > roundPauseMaxMs) return undefined;
  // Jitter on top, so that requests with the same `readyInMs` do not all retry simultaneously.
  const jitterMs = roundPauseMs.least + random * (roundPauseMs.most - roundPauseMs.least);
  return Math.min(Math.max(0, readyInMs) + jitterMs, roundPauseMaxMs + roundPauseMs.most);
}

/** Whether a deployment was found to be unable to do what is requested. */
function cannot(tried: readonly FailedAttempt[]): (deployment: Deployment) => boolean {
  return (deployment) => tried.some((each) => each.deployment === deployment && each.failure.refusal !== undefined);
}

/** `readyInMs` is when the first of the model's deployments is ready. */
export function errorAfter(
  tried: readonly FailedAttempt[],
  { model, deployments, readyInMs }: { model: string; deployments: readonly Deployment[]; readyInMs: number },
) {
  const last = tried.at(-1)?.failure;
  const shown = tried.findLast(({ failure }) => !isOverload(failure) && failure.refusal === undefined)?.failure;
  if (shown !== undefined) return shown.toGatewayError();
  const { refusal } = last ?? {};
  if (refusal !== undefined && deployments.every(cannot(tried))) return refusal;
  const message = tried.some(({ failure }) => isOverload(failure))
    ? `Every deployment of the model '${model}' is overloaded now.`
    : `No deployment of the model '${model}' is healthy now.`;
  // A provider's 429 is about the gateway's limits there, never about the customer's.
  return new GatewayError('no_healthy_deployment', message, {
    retryAfterSeconds: Math.max(1, Math.ceil(readyInMs / 1_000)),
    cause: last,
  });
}

function isOverload({ status, retryAfterMs }: UpstreamFailure): boolean {
  return status === 429 || status === 529 || (status === 503 && retryAfterMs !== undefined);
}

/** Waits. Throws UpstreamFailure as soon as the request is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
  if (signal.aborted) throw new UpstreamFailure('unreachable', 'The request ended before it was retried.');
}
