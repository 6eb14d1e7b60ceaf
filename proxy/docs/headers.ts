/** The headers of the document: what answers tell beside their body, and what requests may. */
import { errorHeaders } from '../../shared/openapi/describe-errors.ts';

const integer = (description: string, example: number) => ({
  description,
  schema: { type: 'integer', minimum: 0 },
  example,
});
const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });
const tighter = "of the key's and its account's, whichever is tighter";

export const headers = {
  ...errorHeaders,
  'request-id': text("The same where Anthropic's clients look for it.", errorHeaders['x-request-id'].example),
  'x-cost-usd': text('What was charged, in USD, digit by digit. Not of a stream.', '0.000027'),
  'x-gateway-deployment': text(
    'Which deployment of the model has answered. Only where the operator of the gateway shows it.',
    'demo/demo-chat',
  ),
  'x-ratelimit-limit-requests': integer(`Requests a minute: ${tighter}.`, 6_000),
  'x-ratelimit-remaining-requests': integer('Requests that are left of it.', 5_999),
  'x-ratelimit-reset-requests': text('When all of it is there again.', '0.01s'),
  'x-ratelimit-limit-tokens': integer(`Tokens a minute: ${tighter}.`, 20_000_000),
  'x-ratelimit-remaining-tokens': integer('Tokens that are left of it.', 19_999_891),
  'x-ratelimit-reset-tokens': text('When all of it is there again.', '0.001s'),
  'idempotent-replayed': text('`true` where an earlier answer is given again.', 'true'),
  'x-original-request-id': text('The request that this answer was made for.', errorHeaders['x-request-id'].example),
  etag: text('The state of the list.', '"3q2-7wEo"'),
  vary: text('A page of another origin may read the answer, which is told to it alone.', 'origin'),
  'cache-control': text('The list may be kept and has to be revalidated.', 'no-cache'),
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
      'Any text of your own. For a day, the same request of the same API key with it is answered as it was at first, ' +
      'and charged once. Not looked at where the answer is streamed.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
    // Without an example: Swagger UI would send it, each time the same, and be refused the second time.
  },
  ModelId: {
    in: 'path',
    name: 'id',
    required: true,
    description: 'The id of a model. Its slashes may be sent as they are.',
    schema: { type: 'string' },
    example: 'demo/chat',
  },
  IfNoneMatch: {
    in: 'header',
    name: 'If-None-Match',
    required: false,
    description: 'The `etag` of a list that you have: then 304 says that it is still the same.',
    schema: { type: 'string' },
  },
} as const;
