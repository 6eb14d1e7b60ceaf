/** A whole response as it is kept for an Idempotency-Key and replayed when the request is repeated. */
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { ProxyConfig } from '../../../shared/config/proxy.ts';
import { GatewayError } from '../../../shared/errors.ts';

/** Names the model's supplier, so it is sent only if the operator allows it. */
export const deploymentHeader = 'x-gateway-deployment';

/** Written by this version or another one; unknown members are ignored. */
const keptAnswerSchema = Type.Object({
  requestId: Type.String(),
  deployment: Type.String(),
  costUsd: Type.String(),
  body: Type.String(),
});

export type KeptAnswer = Readonly<Static<typeof keptAnswerSchema>>;

const check = TypeCompiler.Compile(keptAnswerSchema);

/** A larger answer is not kept. Repeating the request is then refused, so that it is not charged twice. */
const keptMaxCharacters = 1024 * 1024;

export function encodeAnswer(answer: KeptAnswer): string {
  return answer.body.length > keptMaxCharacters ? '' : JSON.stringify(answer);
}

/** Throws GatewayError `idempotency_answer_gone`. */
export function repeatAnswer(
  kept: string | null,
  headers: Headers,
  { exposeDeployments }: Pick<ProxyConfig, 'exposeDeployments'>,
): Response {
  const answer = kept === null ? undefined : readAnswer(kept);
  if (answer === undefined) {
    throw new GatewayError(
      'idempotency_answer_gone',
      'A request with this Idempotency-Key was completed and charged. Its response was too large to store, or was lost.',
    );
  }
  const { requestId, deployment, costUsd, body } = answer;
  headers.set('content-type', 'application/json');
  headers.set('x-cost-usd', costUsd);
  if (exposeDeployments) headers.set(deploymentHeader, deployment);
  headers.set('idempotent-replayed', 'true');
  headers.set('x-original-request-id', requestId);
  return new Response(body, { headers });
}

/** Undefined if this version cannot read it. */
function readAnswer(kept: string): KeptAnswer | undefined {
  const answer: unknown = JSON.parse(kept);
  return check.Check(answer) ? answer : undefined;
}
