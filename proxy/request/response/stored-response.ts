/** A whole response as it is stored for an Idempotency-Key and replayed when the request is repeated. */
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { ProxyConfig } from '../../../shared/config/proxy.ts';
import { GatewayError } from '../../../shared/errors.ts';

/** Names the model's supplier, so it is sent only if the operator allows it. */
export const deploymentHeader = 'x-gateway-deployment';

/** Written by this version or another one; unknown members are ignored. */
const storedResponseSchema = Type.Object({
  requestId: Type.String(),
  deployment: Type.String(),
  costUsd: Type.String(),
  body: Type.String(),
  /** Of the body, if it is not JSON. */
  mediaType: Type.Optional(Type.String()),
});

export type StoredResponse = Readonly<Static<typeof storedResponseSchema>>;

export const jsonType = 'application/json';

const check = TypeCompiler.Compile(storedResponseSchema);

/** A larger response is not stored. Repeating the request is then refused, so that it is not charged twice. */
const storedMaxCharacters = 1024 * 1024;

export function encodeResponse(response: StoredResponse): string {
  return response.body.length > storedMaxCharacters ? '' : JSON.stringify(response);
}

/** Throws GatewayError `idempotency_answer_gone`. */
export function replayResponse(
  stored: string | null,
  headers: Headers,
  { exposeDeployments }: Pick<ProxyConfig, 'exposeDeployments'>,
): Response {
  const response = stored === null ? undefined : readResponse(stored);
  if (response === undefined) {
    throw new GatewayError(
      'idempotency_answer_gone',
      'A request with this Idempotency-Key was completed and charged. Its response was too large to store, or was lost.',
    );
  }
  const { requestId, deployment, costUsd, body, mediaType = jsonType } = response;
  headers.set('content-type', mediaType);
  headers.set('x-cost-usd', costUsd);
  if (exposeDeployments) headers.set(deploymentHeader, deployment);
  headers.set('idempotent-replayed', 'true');
  headers.set('x-original-request-id', requestId);
  return new Response(body, { headers });
}

/** Undefined if this version cannot read it. */
function readResponse(stored: string): StoredResponse | undefined {
  const response: unknown = JSON.parse(stored);
  return check.Check(response) ? response : undefined;
}
