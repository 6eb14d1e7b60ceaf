/**
 * The error examples of the document. Each is made by the code that refuses the request, so it shows the actual
 * message. Like the other examples, they use the demo models.
 */
import { parseAddress } from '../../../shared/addresses/address.ts';
import { GatewayError } from '../../../shared/errors.ts';
import { parseJsonObject } from '../../../shared/http/check-value.ts';
import { bodyTooLarge, bodyTooSlow, tooManyBodies } from '../../../shared/http/intake/bodies.ts';
import { notAForm } from '../../../shared/http/intake/form.ts';
import { JsonScanner, jsonLimits } from '../../../shared/http/intake/json-scanner.ts';
import { internalError } from '../../../shared/http/render-error.ts';
import { readAddressList } from '../../../shared/keys/address-lists.ts';
import { generateKey } from '../../../shared/keys/api-key.ts';
import type { KeyRules } from '../../../shared/keys/key-rules.ts';
import { utcOffsets } from '../../../shared/limits/zone-offsets.ts';
import { nanoUsd } from '../../../shared/money.ts';
import type { ErrorExamples } from '../../../shared/openapi/describe-errors.ts';
import type { TokenPrice } from '../../../shared/usage/billable-units.ts';
import { readTokenPrices } from '../../../shared/usage/token-prices.ts';
import { shardOfAccount } from '../../../shared/wallet/shard.ts';
import { responseMaxBytes } from '../../nouns/limits.ts';
import { responseTooLarge } from '../../nouns/read-text.ts';
import { UpstreamFailure } from '../../nouns/upstream-failure.ts';
import type { Model } from '../../pricing/catalogue.ts';
import { modelNotFound } from '../../pricing/find-model.ts';
import { authenticate, invalidKey } from '../../request/admission/authenticate.ts';
import { checkAddress } from '../../request/admission/judge-rules.ts';
import { keyRefusal, refusalOf, walletUnavailable } from '../../request/admission/refusal.ts';
import { noDeploymentFits } from '../../request/planning/fitting-deployments.ts';
import { quoteOf } from '../../request/planning/quote.ts';
import { replayResponse } from '../../request/response/stored-response.ts';
import { endedError } from '../../request/upstream/ended-error.ts';
import { errorAfter } from '../../request/upstream/retries/retry-policy.ts';
import { unreachable } from '../../request/upstream/send-request.ts';
import { readChatCompletion } from '../chat-completions/chat-completions.ts';
import { requestIdExample } from './headers.ts';

type Read = (value: object, text: string) => unknown;

/** Bodies that an endpoint refuses, by error code. */
export type RefusedBodies = Readonly<
  Record<'missing_parameter' | 'invalid_parameter' | 'unsupported_parameter', Readonly<Record<string, unknown>>>
>;

/** The endpoint's errors for these bodies. Throws if it refuses one with another code. */
export function refusalsOfBodies(read: Read, bodies: RefusedBodies): GatewayError[] {
  return Object.entries(bodies).map(([code, body]) => {
    const error = thrownBy(() => read(body, JSON.stringify(body)));
    if (error.code !== code) throw new Error(`the example of ${code} is refused with ${error.code}`);
    return error;
  });
}

const prices: Partial<Record<TokenPrice, bigint>> = { prompt: 600_000n, completion: 1_800_000n };
const model: Model = {
  id: 'demo/chat',
  kind: 'chat',
  ownedBy: 'demo',
  createdAt: 1_893_456_000,
  contextTokens: 32_768,
  maxOutputTokens: 2_048,
  prices: { version: 1, ...readTokenPrices((price) => prices[price]) },
  deployments: [],
};
const body = { model: model.id, messages: [{ role: 'user', content: 'Hello!' }], max_tokens: 1_000 };
const quote = quoteOf(model, readChatCompletion(body, JSON.stringify(body)));
const dearest = { model, quote, conversation: undefined };
const plan = { models: [model.id], candidates: [dearest], dearest, preferences: undefined, rules: undefined };

const refusal = (reason: Parameters<typeof refusalOf>[0]) => refusalOf(reason, plan);
const short = { ok: false, reason: 'short' } as const;
const budgetShort = {
  ok: false,
  reason: 'budget_short',
  leftNano: nanoUsd(1_200_000n),
  leftAtRestNano: nanoUsd(1_200_000n),
  amountNano: nanoUsd(5_000_000_000n),
  zone: utcOffsets,
} as const;
const bodyMaxBytes = 20 * 1024 * 1024;

const officeOnly: KeyRules = {
  mark: 'office',
  addresses: [readAddressList('organization', ['203.0.113.0/24'])],
  dataPolicies: [],
  cacheSeconds: undefined,
};

const keyExamples = {
  missing_api_key: thrownBy(() => authenticate(new Headers(), [])),
  invalid_api_key: invalidKey(),
  wrong_key_type: thrownBy(() => {
    const authorization = `Bearer ${generateKey('billing', shardOfAccount(1))}`;
    authenticate(new Headers({ authorization }), []);
  }),
  key_expired: keyRefusal('key_expired'),
  key_deactivated: keyRefusal('key_inactive'),
  email_not_verified: keyRefusal('email_unproven'),
  project_archived: keyRefusal('project_archived'),
  address_not_allowed: thrownBy(() => checkAddress(officeOnly, () => parseAddress('198.51.100.7'))),
} satisfies ErrorExamples;

const bodyExamples = {
  invalid_json: thrownBy(() => parseJsonObject('{"model": "demo/chat"')),
  invalid_form: notAForm(),
  body_too_complex: thrownBy(() => new JsonScanner(jsonLimits).push('['.repeat(jsonLimits.depth + 1))),
  body_too_large: bodyTooLarge(bodyMaxBytes),
  request_timeout: bodyTooSlow(),
  overloaded: tooManyBodies(),
} satisfies ErrorExamples;

const walletExamples = {
  model_not_allowed: refusal({ ok: false, reason: 'model_not_allowed' }),
  key_limit_exceeded: refusal({ ...budgetShort, level: 'key', period: 'total' }),
  budget_exceeded: refusal({ ...budgetShort, level: 'project', period: 'total' }),
  insufficient_balance: refusal({ ...short, availableNano: nanoUsd(1_200_000n), heldNano: nanoUsd(0n) }),
  balance_reserved: refusal({ ...short, availableNano: nanoUsd(1_200_000n), heldNano: nanoUsd(3_500_000n) }),
  rate_limit_exceeded: refusal({
    ok: false,
    reason: 'limited',
    what: 'requests',
    scope: 'key',
    limit: 6_000,
    retryAfterMs: 1_000,
  }),
  wallet_unavailable: walletUnavailable(),
  idempotency_in_progress: refusal({ ok: false, reason: 'in_progress' }),
  idempotency_key_reused: refusal({ ok: false, reason: 'reused' }),
  idempotency_answer_gone: thrownBy(() => replayResponse(null, new Headers(), { exposeDeployments: false })),
} satisfies ErrorExamples;

const providerExamples = {
  model_not_found: modelNotFound('demo/chatt'),
  no_deployment_fits: noDeploymentFits(
    [model.id],
    [
      { owner: 'organization', demand: 'country=DE,FR', excluded: 'azure' },
      { owner: 'request', demand: 'zdr=true', excluded: 'openai' },
    ],
  ),
  no_healthy_deployment: errorAfter([], { model: model.id, deployments: [], readyInMs: 1_000 }),
  // The provider's own message.
  upstream_rejected_request: new UpstreamFailure(
    'rejected',
    "This model's maximum context length is 32768 tokens. However, your messages resulted in 41200 tokens.",
    { status: 400 },
  ).toGatewayError(),
  answer_too_large: responseTooLarge({ maxBytes: responseMaxBytes, isBilled: true }).toGatewayError(),
  upstream_error: unreachable().toGatewayError(),
  upstream_timeout: ended('idle'),
  shutting_down: ended('shutting_down'),
} satisfies ErrorExamples;

/** Every error but those about body parameters, which differ by endpoint. */
export const commonExamples: ErrorExamples = {
  ...keyExamples,
  ...bodyExamples,
  ...walletExamples,
  ...providerExamples,
  internal_error: internalError(requestIdExample, undefined),
};

function ended(reason: 'idle' | 'shutting_down'): GatewayError {
  return thrownBy(() => {
    throw endedError(undefined, { reason });
  });
}

function thrownBy(run: () => unknown): GatewayError {
  try {
    run();
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('an example of an error was accepted');
}
