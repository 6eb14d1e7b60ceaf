/** The headers of the document: what answers tell beside their body, and what requests may. */
import { errorHeaders } from '../../../shared/openapi/describe-errors.ts';

const integer = (description: string, example: number) => ({
  description,
  schema: { type: 'integer', minimum: 0 },
  example,
});
const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });
const tighter = 'the limit of the key or of its account, whichever has less left';

export const headers = {
  ...errorHeaders,
  'request-id': text(
    "The same as `x-request-id`, where Anthropic's clients look for it.",
    errorHeaders['x-request-id'].example,
  ),
  'x-cost-usd': text(
    'What the request cost, as a decimal string in USD. A stream has the cost in its usage instead.',
    '0.000027',
  ),
  'x-gateway-deployment': text(
    'The deployment of the model that answered. Only if the operator of the gateway shows it.',
    'demo/demo-chat',
  ),
  'x-ratelimit-limit-requests': integer(`How many requests a minute are allowed: ${tighter}.`, 6_000),
  'x-ratelimit-remaining-requests': integer('How many requests are left at this moment.', 5_999),
  'x-ratelimit-reset-requests': text('How long until all requests are available again.', '0.01s'),
  'x-ratelimit-limit-tokens': integer(`How many tokens a minute are allowed: ${tighter}.`, 20_000_000),
  'x-ratelimit-remaining-tokens': integer('How many tokens are left at this moment.', 19_999_891),
  'x-ratelimit-reset-tokens': text('How long until all tokens are available again.', '0.001s'),
  'idempotent-replayed': text(
    '`true` if this is the kept answer of an earlier request with the same `Idempotency-Key`. It is not charged again.',
    'true',
  ),
  'x-original-request-id': text(
    'The id of the earlier request that this answer was made for.',
    errorHeaders['x-request-id'].example,
  ),
  etag: text('Identifies this version of the list. Send it as `If-None-Match` the next time.', '"3q2-7wEo"'),
  vary: text('Tells caches that the headers of the answer depend on the origin that asks.', 'origin'),
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

/** Of an answer that was paid for. */
export const paidHeaders: readonly HeaderName[] = [
  'x-cost-usd',
  'x-gateway-deployment',
  ...rateHeaders,
  'idempotent-replayed',
  'x-original-request-id',
];

/** Refusals that may come before the limits were looked at do not always tell them. */
const statusesBehindLimits: ReadonlySet<number> = new Set([403, 409, 422, 429, 500, 502, 503]);

export const rateHeadersOf = (status: number) => (statusesBehindLimits.has(status) ? rateHeaders : []);

export const parameters = {
  IdempotencyKey: {
    in: 'header',
    name: 'Idempotency-Key',
    required: false,
    description:
      'Makes a retry safe: a value of your own that is new for each request, such as a UUID. For a day, a repetition of the ' +
      'request with the same API key and value gets the first answer again and is charged once. Ignored for streams.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
    // Without an example: Swagger UI would send it, each time the same, and be refused the second time.
  },
  ModelId: {
    in: 'path',
    name: 'id',
    required: true,
    description: 'The id of the model. A slash in it may be sent as it is, or as `%2F`.',
    schema: { type: 'string' },
    example: 'demo/chat',
  },
  IfNoneMatch: {
    in: 'header',
    name: 'If-None-Match',
    required: false,
    description: 'The `etag` of the list that you have. If the list has not changed, the answer is 304 without a body.',
    schema: { type: 'string' },
  },
} as const;
