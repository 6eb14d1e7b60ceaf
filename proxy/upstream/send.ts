/**
 * Gets an answer from the first deployment that gives one. Until a deployment has begun to answer, a failing one is
 * followed by the next; when all have failed in a way that may pass, they are asked once more after a pause. What is
 * the client's own fault is told to the client at once.
 */
import type { Deployment } from '../catalogue/catalogue.ts';
import type { ProxyServices } from '../services.ts';
import type { RunningRequest } from '../settlement/running-request.ts';
import { type Answer, attempt, type SendInput } from './attempt.ts';
import type { Pass } from './health/circuit.ts';
import { attemptsMax, attemptsWithinMs, roundsMax } from './limits.ts';
import { orderDeployments } from './order-deployments.ts';
import { pause } from './pause.ts';
import { errorAfter, mayPass, pauseBeforeRound, type Tried } from './retry-policy.ts';
import { UpstreamFailure } from './upstream-failure.ts';

/** The request as a whole is over then, and no other deployment is asked. */
const fellSilent = new UpstreamFailure('timeout', 'The provider did not go on with its answer in time.');

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
      if (hasFailedForGood(tried, deployment)) continue;
      const pass = deployments.admit(deployment.name, askedAtMs);
      if (pass === undefined) continue;
      try {
        const answer = await attempt(services, deployment, input);
        const nowMs = Date.now();
        deployments.succeeded(deployment.name, pass, { nowMs, latencyMs: nowMs - askedAtMs });
        return answer;
      } catch (error) {
        tried.push({ deployment, failure: failureOf(services, error, { deployment, pass, running }) });
      }
    }
    const readyInMs = soonestReady(services, model.deployments) - Date.now();
    const pauseMs = pauseBeforeRound(tried, { readyInMs, random: Math.random() });
    if (round === roundsMax || pauseMs === undefined || Date.now() - startedAtMs > attemptsWithinMs) break;
    await pause(pauseMs, running.abort.signal);
  }
  throw errorAfter(tried, { model: model.id, readyInMs: soonestReady(services, model.deployments) - Date.now() });
}

function hasFailedForGood(tried: readonly Tried[], deployment: Deployment): boolean {
  for (const before of tried) if (before.deployment === deployment && !mayPass(before.failure)) return true;
  return false;
}

/** After which another deployment may be asked instead. Throws the error where that is not so. */
function failureOf(
  { deployments, log }: ProxyServices,
  error: unknown,
  { deployment, pass, running }: { deployment: Deployment; pass: Pass; running: RunningRequest },
): UpstreamFailure {
  const { name } = deployment;
  const nowMs = Date.now();
  const { reason: abortedFor } = running.abort;
  const isOver = !(error instanceof UpstreamFailure) || abortedFor !== undefined;
  if (abortedFor === 'idle') deployments.failed(name, pass, { nowMs, failure: fellSilent });
  else if (isOver) deployments.abandoned(name, pass, nowMs);
  else deployments.failed(name, pass, { nowMs, failure: error });
  // Whoever leaves while a provider is at work pays for what it has begun; one that has failed is at work no more.
  if (abortedFor === undefined) running.atProvider = false;
  running.departure.onDisconnect = 'abort';
  if (isOver || running.departure.left || error.reason === 'rejected') throw error;
  const { reason, status } = error;
  const facts = { requestId: running.requestId, deployment: name, reason, status, err: error };
  if (status === 401 || status === 402 || status === 403) log.error(facts, 'the provider refuses our key or account');
  else if (status === 404) log.error(facts, 'the provider does not have what the catalogue names');
  else log.warn(facts, 'deployment failed');
  return error;
}

function soonestReady({ deployments }: ProxyServices, candidates: readonly Deployment[]): number {
  return Math.min(...candidates.map(({ name }) => deployments.readyAtMs(name)));
}
