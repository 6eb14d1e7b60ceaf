/**
 * Sends a call to the first deployment that answers. Before the first byte of an answer a failing deployment is
 * followed by the next one; what is the client's own fault is told to the client at once.
 */
import { GatewayError } from '../../shared/errors.ts';
import type { Adapter, Operation } from '../adapters/adapter.ts';
import { adapterOf } from '../adapters/adapters.ts';
import type { Deployment, Model } from '../catalogue/catalogue.ts';
import type { Call } from '../request/call.ts';
import type { ProxyServices } from '../services.ts';
import type { RunningRequest } from '../settlement/running-request.ts';
import { bodyHeadersTimeoutMs, errorBodyMaxBytes, streamHeadersTimeoutMs } from './limits.ts';
import { orderDeployments } from './order-deployments.ts';
import { readText } from './read-text.ts';
import { UpstreamFailure } from './upstream-failure.ts';

export interface Answer {
  readonly response: Response;
  readonly operation: Operation;
  readonly deployment: Deployment;
}

/** Statuses of a provider that mean that the request itself is at fault. */
const clientFaults: ReadonlySet<number> = new Set([400, 404, 413, 422]);
/** Statuses that speak of our key or our account at the provider. */
const ourFaults: ReadonlySet<number> = new Set([401, 402, 403]);

/** Throws UpstreamFailure of the last deployment tried, or GatewayError where there was none to try. */
export async function send(
  services: ProxyServices,
  request: { model: Model; call: Call; running: RunningRequest },
): Promise<Answer> {
  const { model, running } = request;
  let failure: UpstreamFailure | undefined;
  for (const deployment of orderDeployments(model.deployments)) {
    try {
      return await sendTo(deployment, services, request);
    } catch (error) {
      if (!(error instanceof UpstreamFailure) || error.reason === 'rejected' || running.abort.signal.aborted)
        throw error;
      failure = error;
      services.log.warn(
        { requestId: running.requestId, deployment: deployment.name, reason: error.reason, err: error },
        'deployment failed',
      );
    }
  }
  throw failure ?? new GatewayError('no_healthy_deployment', `The model '${model.id}' has no deployment.`);
}

async function sendTo(
  deployment: Deployment,
  services: ProxyServices,
  { model, call, running }: { model: Model; call: Call; running: RunningRequest },
): Promise<Answer> {
  const adapter = adapterOf(deployment.provider.protocol);
  const operation = adapter.operations[model.kind];
  if (operation === undefined) {
    throw new Error(`${deployment.provider.protocol} has no operation for models of kind ${model.kind}`);
  }
  const { apiKeyEnv } = deployment.provider;
  const apiKey = apiKeyEnv === '' ? undefined : services.config.providerKey(apiKeyEnv);
  if (apiKeyEnv !== '' && apiKey === undefined) {
    throw new UpstreamFailure('refused', `The provider's key is not configured.`);
  }
  const upstream = operation.buildRequest(call, { deployment, apiKey, outputCap: running.outputCap });
  running.deployment = deployment.name;
  const response = await fetchHeaders(upstream, call.stream ? streamHeadersTimeoutMs : bodyHeadersTimeoutMs, running);
  running.lastBytesAtMs = Date.now();
  running.atProvider = response.ok;
  if (!response.ok) throw await failureOf(response, adapter);
  return { response, operation, deployment };
}

async function fetchHeaders(
  upstream: { url: string; headers: Readonly<Record<string, string>>; body: string },
  timeoutMs: number,
  running: RunningRequest,
): Promise<Response> {
  const attempt = new AbortController();
  const giveUp = () => attempt.abort(running.abort.signal.reason);
  // A client that has left already costs nobody anything.
  if (running.abort.signal.aborted)
    throw new UpstreamFailure('unreachable', 'The request has ended before it was sent.');
  running.abort.signal.addEventListener('abort', giveUp, { once: true });
  running.atProvider = true;
  const timer = setTimeout(() => attempt.abort('headers_timeout'), timeoutMs);
  try {
    return await fetch(upstream.url, {
      method: 'POST',
      headers: upstream.headers,
      body: upstream.body,
      signal: attempt.signal,
      redirect: 'manual',
      timeout: false,
    });
  } catch (cause) {
    // Whoever could not be reached, or was given up, has not answered; only a client that left pays for what it began.
    running.atProvider = running.abort.signal.aborted;
    if (attempt.signal.reason === 'headers_timeout') {
      throw new UpstreamFailure('timeout', 'The provider did not answer in time.', { cause });
    }
    throw new UpstreamFailure('unreachable', 'The provider could not be reached.', { cause });
  } finally {
    clearTimeout(timer);
  }
}

async function failureOf(response: Response, adapter: Adapter): Promise<UpstreamFailure> {
  const failure = adapter.readFailure(await readText(response, errorBodyMaxBytes).catch(() => ''));
  if (ourFaults.has(response.status)) {
    // What a provider says about our account with it is for the log, not for the customer.
    return new UpstreamFailure('refused', 'The provider refused the gateway.', { cause: failure.message });
  }
  const message = failure.message ?? `The provider answered with status ${response.status}.`;
  return new UpstreamFailure(clientFaults.has(response.status) ? 'rejected' : 'refused', message);
}
