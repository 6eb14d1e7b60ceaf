/**
 * Returns the response of the first deployment that gives one. Before a response begins, a failure falls back to the next
 * deployment; if all have failed with transient errors, they are tried again after a pause. Client errors and
 * responses that are too large are not retried: they would fail again.
 */

import { GatewayError } from '../../../shared/errors.ts';
import { batchTier } from '../../../shared/usage/rates.ts';
import { attemptsMax, attemptsWithinMs } from '../../nouns/limits.ts';
import { isSearching } from '../../nouns/requests/hosted-tools.ts';
import { UpstreamFailure } from '../../nouns/upstream-failure.ts';
import type { Deployment } from '../../pricing/catalogue.ts';
import { orderDeployments } from '../planning/order-deployments.ts';
import type { Batched } from '../response/deferred.ts';
import type { ProxyServices } from '../services.ts';
import type { RunningRequest } from '../settlement/running-request.ts';
import { attempt, type SendInput, type UpstreamResponse } from './attempt.ts';
import type { Pass } from './health/circuit.ts';
import { errorAfter, type FailedAttempt, mayPass, pause, pauseBeforeRound } from './retries/retry-policy.ts';

/** It ends the whole request; no other deployment is tried. */
const idleTimeout = new UpstreamFailure('timeout', 'The provider did not continue its response in time.');

/** Throws UpstreamFailure or GatewayError; in that case nothing has been delivered. */
export async function send(services: ProxyServices, input: SendInput): Promise<UpstreamResponse> {
  const { model, running, rounds, conversation, preferences } = input;
  const { deployments, settlement } = services;
  const startedAtMs = Date.now();
  const tried: FailedAttempt[] = [];
  const { accountId } = running;
  const measured = { latencies: deployments, speeds: settlement.running.speeds };
  const ordered = orderDeployments(model.deployments, { accountId, conversation, preferences, ...measured });
  // Another tier, and a search of the web, are for requests that are sent on their own.
  const mayBeBatched = !isSearching(input.source.call) && (model.tier === undefined || model.tier === batchTier);
  const batched = mayBeBatched ? input.deferred?.batchedAt?.(ordered) : undefined;
  if (batched !== undefined) return sendBatched(services, input, batched);
  for (let round = 1; round <= rounds; round += 1) {
    for (const deployment of ordered) {
      const sentAtMs = Date.now();
      if (tried.length >= attemptsMax || sentAtMs - startedAtMs > attemptsWithinMs) break;
      if (hasFailedForGood(tried, deployment) || isBackingOff(tried, deployment, sentAtMs)) continue;
      const pass = deployments.admit(deployment.name, sentAtMs);
      if (pass === undefined) continue;
      const { trace } = running.timeline;
      trace?.attemptBegins(deployment);
      try {
        const response = await attempt(services, deployment, input);
        input.source.close();
        trace?.attemptEnds();
        const nowMs = Date.now();
        const { stream: isStream } = input.source.call;
        deployments.succeeded(deployment.name, pass, { nowMs, latencyMs: nowMs - sentAtMs, isStream });
        return response;
      } catch (error) {
        trace?.attemptEnds(error);
        const failure = failureOf(services, error, { deployment, pass, running });
        tried.push({ deployment, failure, readyAtMs: Date.now() + retryAfterOf(failure) });
      }
    }
    const readyInMs = soonestReady(services, model.deployments, tried) - Date.now();
    const pauseMs = pauseBeforeRound(tried, { readyInMs, random: Math.random() });
    if (round === rounds || pauseMs === undefined || Date.now() - startedAtMs > attemptsWithinMs) break;
    await pause(pauseMs, running.abort.signal);
  }
  throw errorAfter(tried, {
    ...{ model: model.id, deployments: model.deployments },
    readyInMs: soonestReady(services, model.deployments, tried) - Date.now(),
  });
}

/** How long it takes and how it fails says nothing about what the deployment does with other requests, and nothing else is tried. */
async function sendBatched(services: ProxyServices, input: SendInput, batched: Batched): Promise<UpstreamResponse> {
  const { trace } = input.running.timeline;
  trace?.attemptBegins(batched.deployment);
  try {
    const response = await attempt(services, batched.deployment, input, batched);
    input.source.close();
    trace?.attemptEnds();
    return response;
  } catch (error) {
    trace?.attemptEnds(error);
    throw error;
  }
}

function hasFailedForGood(tried: readonly FailedAttempt[], deployment: Deployment): boolean {
  for (const before of tried) if (before.deployment === deployment && !mayPass(before.failure)) return true;
  return false;
}

/**
 * How long a rate-limited deployment must not be retried by this request; its circuit does the same for all requests.
 */
function retryAfterOf({ status, retryAfterMs = 0 }: UpstreamFailure): number {
  return status === 429 ? retryAfterMs : 0;
}

function isBackingOff(tried: readonly FailedAttempt[], deployment: Deployment, nowMs: number): boolean {
  return tried.some((before) => before.deployment === deployment && (before.readyAtMs ?? 0) > nowMs);
}

/** The failure after which another deployment may be tried. Throws the error if none may. */
function failureOf(
  { deployments, log }: ProxyServices,
  error: unknown,
  { deployment, pass, running }: { deployment: Deployment; pass: Pass; running: RunningRequest },
): UpstreamFailure {
  const { name } = deployment;
  const { accountId } = running;
  const nowMs = Date.now();
  const { reason: abortedFor } = running.abort;
  if (error instanceof GatewayError && !running.atProvider && abortedFor === undefined) {
    deployments.abandoned(name, pass, nowMs);
    return new UpstreamFailure('refused', error.message, { refusal: error, cause: error });
  }
  const isOver = !(error instanceof UpstreamFailure) || abortedFor !== undefined;
  if (abortedFor === 'idle') deployments.failed(name, pass, { nowMs, failure: idleTimeout, accountId });
  else if (isOver) deployments.abandoned(name, pass, nowMs);
  else deployments.failed(name, pass, { nowMs, failure: error, accountId });
  // A client that disconnects is charged only while a provider is working; a failed one no longer is.
  if (abortedFor === undefined) running.atProvider = false;
  running.connection.onDisconnect = 'abort';
  running.connection.needsUsage = undefined;
  if (isOver || running.connection.closed || error.reason === 'rejected') throw error;
  const { reason, status, problem } = error;
  const facts = { requestId: running.requestId, deployment: name, reason, status, err: error };
  if (problem !== undefined) log.error({ ...facts, problem }, 'the deployment cannot be used');
  else if (status === 401 || status === 402 || status === 403)
    log.error(facts, 'the provider rejects our key or account');
  else if (status === 404) log.error(facts, 'the provider does not have the model that the catalogue names');
  else log.warn(facts, 'deployment failed');
  if (reason === 'oversized') throw error;
  return error;
}

function soonestReady(
  { deployments }: ProxyServices,
  candidates: readonly Deployment[],
  tried: readonly FailedAttempt[],
): number {
  const readyAtMs = (candidate: Deployment) =>
    tried
      .filter(({ deployment }) => deployment === candidate)
      .reduce((latest, before) => Math.max(latest, before.readyAtMs ?? 0), deployments.readyAtMs(candidate.name));
  return Math.min(...candidates.map(readyAtMs));
}
