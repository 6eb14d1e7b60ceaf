/** The response headers and request parameters of the document. */
import { errorHeaders } from '../../../shared/openapi/describe-errors.ts';

const integer = (description: string, example: number) => ({
  description,
  schema: { type: 'integer', minimum: 0 },
  example,
});
const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });
const tighter = 'the limit of the key or of its account, whichever has less remaining';

export const headers = {
  ...errorHeaders,
  'request-id': text(
    "The same id as `x-request-id`, in the header that Anthropic's clients read.",
    errorHeaders['x-request-id'].example,
  ),
  'x-cost-usd': text(
    'The cost of the request in USD, as a decimal string. A stream of events reports it in its usage instead.',
    '0.000027',
  ),
  'x-gateway-deployment': text(
    'The deployment that served the request. Only if the operator of the gateway shows it.',
    'demo/demo-chat',
  ),
  'x-gateway-model': text('The model that responded, where the request names several in `models`.', 'demo/chat'),
  'x-gateway-removed-tools': text(
    'The kinds of tools that were left out of the request, because the provider would run them and bill each call.',
    'web_search, image_generation',
  ),
  'x-ratelimit-limit-requests': integer(`How many requests per minute are allowed: ${tighter}.`, 6_000),
  'x-ratelimit-remaining-requests': integer('How many requests are left now.', 5_999),
  'x-ratelimit-reset-requests': text('How long until all requests are available again.', '0.01s'),
  'x-ratelimit-limit-tokens': integer(`How many tokens per minute are allowed: ${tighter}.`, 20_000_000),
  'x-ratelimit-remaining-tokens': integer('How many tokens are left now.', 19_999_891),
  'x-ratelimit-reset-tokens': text('How long until all tokens are available again.', '0.001s'),
  'idempotent-replayed': text(
    '`true` if this is the stored response to an earlier request with the same `Idempotency-Key`. It is not charged again.',
    'true',
  ),
  'x-cache': text(
    '`hit` if this is the stored response to an earlier request that was the same, which costs nothing; `miss` if there was none, and ' +
      'this one is stored if it is complete. Only where the header `x-cache` of the request or the setting of its key asks for it.',
    'hit',
  ),
  'x-original-request-id': text(
    'The id of the earlier request that this is the response to.',
    errorHeaders['x-request-id'].example,
  ),
  etag: text('Identifies this version of the list. Send it as `If-None-Match` next time.', '"3q2-7wEo"'),
  vary: text('Tells caches that the response headers depend on the `Origin` of the request.', 'origin'),
  'cache-control': text('The list may be cached, but must be revalidated before each use.', 'no-cache'),
} as const;

export const requestIdExample = errorHeaders['x-request-id'].example;

type HeaderName = keyof typeof headers;

export const rateHeaders: readonly HeaderName[] = [
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'x-ratelimit-limit-tokens',
  'x-ratelimit-remaining-tokens',
  'x-ratelimit-reset-tokens',
];

/** Of responses that are paid for. */
export const paidHeaders: readonly HeaderName[] = [
  'x-cost-usd',
  'x-gateway-deployment',
  'x-gateway-model',
  'x-gateway-removed-tools',
  ...rateHeaders,
  'idempotent-replayed',
  'x-original-request-id',
];

/** Of those that may be given again to the same requests. */
export const repeatableHeaders: readonly HeaderName[] = [...paidHeaders, 'x-cache'];

/** Other refusals may come before the limits are checked, so they may lack these headers. */
const statusesBehindLimits: ReadonlySet<number> = new Set([403, 409, 422, 429, 500, 502, 503]);

export const rateHeadersOf = (status: number) => (statusesBehindLimits.has(status) ? rateHeaders : []);

export const parameters = {
  IdempotencyKey: {
    in: 'header',
    name: 'Idempotency-Key',
    required: false,
    description:
      'Makes retries safe. Choose a new value for each request, such as a UUID. For 24 hours, repeating the request with ' +
      'the same API key and value returns the first response again, without a second charge. Ignored for streams.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
    // No example: Swagger UI would send the same value every time, and the second request would be refused.
  },
  Cache: {
    in: 'header',
    name: 'x-cache',
    required: false,
    description:
      '`read` allows the stored response to an earlier request that was the same, at no cost, and stores the response if there is none: ' +
      "for as long as the key's `cacheSeconds`, or an hour. `off` does neither. Without it, the key's setting decides, for requests with " +
      '`temperature` 0, embeddings, moderations and rankings. Ignored with an Idempotency-Key.',
    schema: { type: 'string', enum: ['read', 'off'] },
  },
  ModelId: {
    in: 'path',
    name: 'id',
    required: true,
    description: 'The id of the model. Send a slash in it as is, or as `%2F`.',
    schema: { type: 'string' },
    example: 'demo/chat',
  },
  IfNoneMatch: {
    in: 'header',
    name: 'If-None-Match',
    required: false,
    description:
      'The `etag` of your copy of the list. If the list has not changed, the response is 304 without a body.',
    schema: { type: 'string' },
  },
} as const;
