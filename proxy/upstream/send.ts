/**
 * Gets an answer from the first deployment that gives one. Until a deployment has begun to answer, a failing one is
 * followed by the next; when all have failed in a way that may pass, they are asked once more after a pause. What is
 * the client's own fault is told to the client at once. What was generated, and is too large to be taken, would be so again.
 */
import type { Deployment } from '../catalogue/catalogue.ts';
import type { ProxyServices } from '../services.ts';
import type { RunningRequest } from '../settlement/running-request.ts';
import { type Answer, attempt, type SendInput } from './attempt.ts';
import type { Pass } from './health/circuit.ts';
import { attemptsMax, attemptsWithinMs, roundsMax } from './limits.ts';
import { orderDeployments } from './order-deployments.ts';
import { pause } from './retries/pause.ts';
import { errorAfter, mayPass, pauseBeforeRound, type Tried } from './retries/retry-policy.ts';
import { UpstreamFailure } from './upstream-failure.ts';

/** The request as a whole is over then, and no other deployment is asked. */
const fellSilent = new UpstreamFailure('timeout', 'The provider did not continue its response in time.');

/** Throws UpstreamFailure or GatewayError; nothing has been delivered then. */
export async function send(services: ProxyServices, input: SendInput): Promise<Answer> {
  const { model, running } = input;
  const { deployments } = services;
  const startedAtMs = Date.now();
  const tried: Tried[] = [];
  for (let round = 1; round <= roundsMax; round += 1) {
    for (const deployment of orderDeployments(model.deployments)) {
      const askedAtMs = Date.now();
      if (tried.length >= attemptsMax || askedAtMs - startedAtMs > attemptsWithinMs) break;
      if (hasFailedForGood(tried, deployment) || wantsPause(tried, deployment, askedAtMs)) continue;
      const pass = deployments.admit(deployment.name, askedAtMs);
      if (pass === undefined) continue;
      try {
        const answer = await attempt(services, deployment, input);
        const nowMs = Date.now();
        deployments.succeeded(deployment.name, pass, { nowMs, latencyMs: nowMs - askedAtMs });
        return answer;
      } catch (error) {
        const failure = failureOf(services, error, { deployment, pass, running });
        tried.push({ deployment, failure, readyAtMs: Date.now() + pauseWanted(failure) });
      }
    }
    const readyInMs = soonestReady(services, model.deployments, tried) - Date.now();
    const pauseMs = pauseBeforeRound(tried, { readyInMs, random: Math.random() });
    if (round === roundsMax || pauseMs === undefined || Date.now() - startedAtMs > attemptsWithinMs) break;
    await pause(pauseMs, running.abort.signal);
  }
  throw errorAfter(tried, {
    model: model.id,
    readyInMs: soonestReady(services, model.deployments, tried) - Date.now(),
  });
}

function hasFailedForGood(tried: readonly Tried[], deployment: Deployment): boolean {
  for (const before of tried) if (before.deployment === deployment && !mayPass(before.failure)) return true;
  return false;
}

/** For how long a limited deployment wants to be left alone; that it rests for everybody, its circuit knows. */
function pauseWanted({ status, retryAfterMs = 0 }: UpstreamFailure): number {
  return status === 429 ? retryAfterMs : 0;
}
function wantsPause(tried: readonly Tried[], deployment: Deployment, nowMs: number): boolean {
  return tried.some((before) => before.deployment === deployment && (before.readyAtMs ?? 0) > nowMs);
}

/** After which another deployment may be asked instead. Throws the error where that is not so. */
function failureOf(
  { deployments, log }: ProxyServices,
  error: unknown,
  { deployment, pass, running }: { deployment: Deployment; pass: Pass; running: RunningRequest },
): UpstreamFailure {
  const { name } = deployment;
  const { accountId } = running;
  const nowMs = Date.now();
  const { reason: abortedFor } = running.abort;
  const isOver = !(error instanceof UpstreamFailure) || abortedFor !== undefined;
  if (abortedFor === 'idle') deployments.failed(name, pass, { nowMs, failure: fellSilent, accountId });
  else if (isOver) deployments.abandoned(name, pass, nowMs);
  else deployments.failed(name, pass, { nowMs, failure: error, accountId });
  // Whoever leaves while a provider is at work pays for what it has begun; one that has failed is at work no more.
  if (abortedFor === undefined) running.atProvider = false;
  running.departure.onDisconnect = 'abort';
  running.departure.needsUsage = undefined;
  if (isOver || running.departure.left || error.reason === 'rejected') throw error;
  const { reason, status, problem } = error;
  const facts = { requestId: running.requestId, deployment: name, reason, status, err: error };
  if (problem !== undefined) log.error({ ...facts, problem }, 'the deployment cannot be used');
  else if (status === 401 || status === 402 || status === 403)
    log.error(facts, 'the provider refuses our key or account');
  else if (status === 404) log.error(facts, 'the provider does not have what the catalogue names');
  else log.warn(facts, 'deployment failed');
  if (reason === 'oversized') throw error;
  return error;
}

function soonestReady(
  { deployments }: ProxyServices,
  candidates: readonly Deployment[],
  tried: readonly Tried[],
): number {
  const readyAtMs = (candidate: Deployment) =>
    tried
      .filter(({ deployment }) => deployment === candidate)
      .reduce((latest, before) => Math.max(latest, before.readyAtMs ?? 0), deployments.readyAtMs(candidate.name));
  return Math.min(...candidates.map(readyAtMs));
}
