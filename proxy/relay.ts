/**
 * The way of a request: authenticate → quote → reserve → send → meter → settle. The only place with the request's
 * control flow; every way out of it after the reserve ends in settle or release.
 */

import type { ModelKind } from '../shared/catalogue/published-catalogue.ts';
import { errorBody, GatewayError } from '../shared/errors.ts';
import { readBody } from '../shared/http/read-body.ts';
import { answerBody } from './answer/answer-body.ts';
import { answerStream } from './answer/answer-stream.ts';
import { authenticate } from './authenticate.ts';
import type { Model } from './catalogue/catalogue.ts';
import { findModel } from './catalogue/find-model.ts';
import type { Dialect } from './dialects/dialect.ts';
import { DialectAnswerStream } from './dialects/dialect-answer-stream.ts';
import { quoteOf } from './quote.ts';
import type { Call } from './request/call.ts';
import { reserve } from './reserve.ts';
import type { ProxyServices } from './services.ts';
import type { RunningRequest } from './settlement/running-request.ts';
import { type Answer, send } from './upstream/send.ts';
import { UpstreamFailure } from './upstream/upstream-failure.ts';

export interface Endpoint {
  readonly kind: ModelKind;
  /** Throws GatewayError where the body is not what the endpoint takes. */
  parse(body: string): Call;
  /** Where the endpoint speaks another vendor's interface. */
  readonly dialect?: Dialect;
}

/** Throws GatewayError before the first byte of an answer; after it, a stream tells its errors itself. */
export async function relay(
  services: ProxyServices,
  endpoint: Endpoint,
  incoming: { request: Request; requestId: string },
): Promise<Response> {
  const startedAtMs = Date.now();
  const { request, requestId } = incoming;
  const caller = authenticate(request.headers, services.config.keyPepper);
  const call = endpoint.parse(await readBody(request, services.config.bodyMaxBytes));
  const model = findModel(services.catalogue, call.model);
  checkKind(model, endpoint.kind);
  const quote = quoteOf(model, call);
  const running = await reserve(services, { requestId, startedAtMs, caller, call, model, quote });

  abortWithClient(request.signal, running);
  try {
    const answer = await send(services, { model, call, running });
    return await deliver(answer, { call, running, services, dialect: endpoint.dialect });
  } catch (error) {
    await settleFailure(running);
    throw error instanceof UpstreamFailure ? error.toGatewayError() : error;
  }
}

function deliver(
  answer: Answer,
  delivery: { call: Call; running: RunningRequest; services: ProxyServices; dialect: Dialect | undefined },
): Promise<Response> | Response {
  const { call, running, services, dialect } = delivery;
  const headers = new Headers({ 'x-gateway-deployment': answer.deployment.name });
  if (!call.stream) return answerBody(answer, { call, running, headers, dialect });
  const { body } = answer.response;
  const translation = answer.operation.openStream?.(call, answer.deployment);
  if (body === null || translation === undefined) {
    throw new UpstreamFailure('malformed', 'The provider answered without a body.');
  }
  const spoken = dialect?.openStream(call, running.requestId);
  return answerStream(
    {
      bytes: body,
      translation: spoken === undefined ? translation : new DialectAnswerStream(translation, spoken),
      renderError: (error) => spoken?.fail(error) ?? `data: ${JSON.stringify(errorBody(error))}\n\n`,
    },
    running,
    { headers, log: services.log },
  );
}

/** Nothing was delivered. Only a client that left while a provider was at work pays, for the prompt. */
async function settleFailure(running: RunningRequest): Promise<void> {
  if (running.abort.signal.reason === 'client_gone' && running.atProvider) await running.settle(null, async () => 0);
  else await running.release();
}

function abortWithClient(signal: AbortSignal, running: RunningRequest): void {
  const leave = () => running.abort.abort('client_gone');
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave, { once: true });
}

function checkKind(model: Model, kind: ModelKind): void {
  if (model.kind === kind) return;
  throw new GatewayError('invalid_parameter', `'${model.id}' is a model for ${model.kind}, not for ${kind}.`, {
    param: 'model',
  });
}
