/** Charged requests as a customer sees them: in the list, and with all details. */
import { Type } from '@sinclair/typebox';
import { perUnit, tokenUnits } from '../../../shared/usage/billable-units.ts';
import { decodeRequestCursor } from '../../http/request/page-cursor.ts';
import type { RequestFilter } from '../../ledger/queries/list-requests.ts';
import { customer, deployment, model, project, proxyKey } from '../fields/example-values.ts';
import {
  eachUnit,
  listedPrices,
  pricesPerImage,
  pricesPerMillion,
  providerPrices,
  rateFields,
  usdText,
  variantFields,
} from '../fields/money.ts';
import { parseRange, rangeFields } from '../fields/range-query.ts';
import {
  count,
  flag,
  idOf,
  integer,
  label,
  nullable,
  oneOf,
  pageCursor,
  pageLimit,
  text,
  timestamp,
} from '../fields/schemas.ts';
import { dimensionFields } from './dimension-filter.ts';

export const requestsMax = 100;
const tokenClasses = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
  tokenUnits.map(({ price }) => `\`${price}\``),
);
const modelMaxLength = 128;

export const requestsQuery = Type.Object({
  limit: pageLimit(requestsMax, 'How many requests to return at most.'),
  cursor: pageCursor,
  keyId: Type.Optional(idOf('a proxy key', 'Lists only requests of this proxy key.')),
  projectId: Type.Optional(idOf('a project', 'Lists only requests of keys that were in this project.', project.id)),
  memberId: Type.Optional(
    idOf('a member', 'Lists only requests of keys that were those of this user.', customer.userId),
  ),
  ...dimensionFields,
  model: Type.Optional(label(modelMaxLength, 'Lists only requests to the model with this id.')),
  replaced: Type.Optional(
    oneOf(
      ['true', 'false'],
      'Whether to also list estimates that were corrected since. Then `booked` of a time range adds up to its usage.',
    ),
  ),
  ...rangeFields,
});

export const requestParams = Type.Object({
  requestId: Type.String({
    pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
    description: 'The `x-request-id` of the response from the proxy.',
    expected: 'the `x-request-id` of a request',
  }),
});

const usedTokens: Readonly<Record<string, number>> = { promptTokens: 12, completionTokens: 30 };
export const unitFields = perUnit(({ name, countMeans }) => count(countMeans, usedTokens[name]));
const charge = '0.00002376';

const requestFields = {
  requestId: Type.String({ format: 'uuid', description: 'The `x-request-id` of the response from the proxy.' }),
  model: text('The id of the requested model.', model),
  key: Type.Object(
    {
      id: integer('The id of the key.', proxyKey.id),
      name: nullable(text("The key's name; null if the key is no longer known.", proxyKey.name)),
      prefix: nullable(
        text('The first 11 characters of the key; null if the key is no longer known.', proxyKey.prefix),
      ),
    },
    { description: 'The proxy key that the request was made with.' },
  ),
  project: nullable(
    Type.Object(
      { id: integer('The id of the project.', project.id), name: text('What it is called.', project.name) },
      { description: 'The project in which the key was; null if it was in none.' },
    ),
  ),
  user: nullable(
    text('What the request named as `user`, if the organization attributes usage to it; null if nothing.', 'u-17'),
  ),
  metadata: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'What it has in `metadata` under the names that the organization attributes usage to.',
    example: { team: 'search' },
  }),
  startedAt: timestamp(
    'When the request reached the proxy. Its prices are those of this moment.',
    '2030-01-01T11:59:58.120Z',
  ),
  chargedAt: timestamp('When the request was charged.'),
  estimated: flag('Whether the tokens are estimated, because the provider did not report them, or has not yet.'),
  final: flag('False if an estimate was charged that may still be corrected.', true),
  ...unitFields,
  charged: usdText('What the request cost the account.', charge),
  repeats: nullable(
    Type.String({
      format: 'uuid',
      description:
        'The request whose stored response was given again, at no cost and without tokens; null of any other request.',
    }),
  ),
};

export const requestSchema = Type.Object(requestFields, { title: 'Request' });

export const listedRequestSchema = Type.Object(
  {
    ...requestFields,
    booked: usdText(
      'What was booked at `chargedAt`: `charged`, less the estimate that it corrects. Negative if the estimate was higher.',
      charge,
    ),
  },
  { title: 'ListedRequest' },
);

const receiptFields = {
  ...requestFields,
  price: Type.Object(
    {
      version: integer('The version of the catalogue that set the prices.', 3),
      effectiveFrom: timestamp('When these prices took effect.', '2029-12-01T00:00:00.000Z'),
      perMillionTokens: pricesPerMillion('What each class of tokens cost.'),
      perImage: pricesPerImage('What images cost.'),
      perUnit: Type.Array(Type.Object({ unit: eachUnit, price: usdText('The price of one.') }), {
        description: 'What is counted one by one. Empty if the model has no such price.',
        example: [],
      }),
      rates: Type.Array(
        Type.Object({
          ...rateFields,
          perMillionTokens: pricesPerMillion('What each class of tokens cost at this rate.'),
        }),
        { description: 'The prices for long prompts and other service tiers. Empty if there were none.', example: [] },
      ),
    },
    { description: 'The listed prices that were in effect when the request began.' },
  ),
  cost: Type.Object(
    {
      rate: nullable(
        Type.Object(rateFields, {
          description:
            'Which of the rates in `price.rates` applied; null for the usual prices, `price.perMillionTokens`.',
        }),
      ),
      parts: Type.Array(
        Type.Object({
          class: text(`The class of tokens: ${tokenClasses}.`),
          tokens: count('How many tokens are in this class. Each token is in one class only.'),
          perMillionTokens: usdText('The price of a million tokens of this class.'),
          amount: usdText('What the tokens cost at that price, exactly.'),
        }),
        {
          description: 'What each class of tokens cost. Classes without tokens are included.',
          example: tokenUnits.map(partExample),
        },
      ),
      images: nullable(
        Type.Object(
          {
            ...variantFields,
            count: count('How many images were generated.'),
            perImage: usdText('The price of one of them.'),
            amount: usdText('What the images cost at that price, exactly.'),
          },
          { description: 'What images cost; null if none were generated. All images of a request have one price.' },
        ),
      ),
      units: Type.Array(
        Type.Object({
          unit: eachUnit,
          count: count('How many there were.'),
          price: usdText('The price of one.'),
          amount: usdText('What they cost at that price, exactly.'),
        }),
        { description: 'What was counted one by one. Empty if nothing was.', example: [] },
      ),
      exact: usdText('The sum of the parts, the images and the units.', charge),
      rounding: usdText('What is added to make it whole billionths of a dollar: once for the request.', '0'),
      total: usdText('The sum of `exact` and `rounding`.', charge),
      uncharged: usdText(
        "What the balance or a budget did not cover: the gateway's loss, never the customer's debt.",
        '0',
      ),
      charged: usdText('`total` less `uncharged`.', charge),
    },
    { description: 'How tokens, images and what else has a price become the charge.' },
  ),
  correctedFrom: nullable(
    Type.Object(
      {
        chargedAt: timestamp('When the estimate was charged.'),
        ...unitFields,
        charged: usdText('What was charged by the estimate.'),
      },
      { description: 'The estimate that was charged before the usage was known; null if none was.' },
    ),
  ),
  transactions: Type.Array(
    Type.Object({
      id: integer('The id of the transaction.', 12),
      createdAt: timestamp('When the transaction was booked.'),
      amount: usdText('By how much the balance changed: negative for a charge.', `-${charge}`),
    }),
    { description: 'The transactions of the request; a correction is a second one. Empty if nothing was charged.' },
  ),
  balanceAfter: usdText('The balance after the last of the transactions.', '9.99997624'),
};

export const receiptSchema = Type.Object(receiptFields, { title: 'Receipt' });

/** In addition to the customer's view: the account, the deployment that responded, and the provider's prices. */
export const operatorReceiptSchema = Type.Object(
  {
    ...receiptFields,
    accountId: integer('The id of the account that was charged.', customer.accountId),
    deployment: text(
      'The deployment that served the request, as `provider/model of the provider`; empty if there was none.',
      deployment,
    ),
    markup: text("The factor from the provider's prices to the listed ones, as a decimal string.", '1.2'),
    providerPrices: pricesPerMillion('What the gateway pays the provider.', { example: providerPrices }),
    providerRates: Type.Array(
      Type.Object({
        ...rateFields,
        perMillionTokens: pricesPerMillion('What the gateway pays the provider.', { example: providerPrices }),
      }),
      { description: "The provider's prices for long prompts and other service tiers.", example: [] },
    ),
    providerImagePrices: pricesPerImage('What the gateway pays the provider.'),
    walletEpoch: integer('The epoch of the Redis shard when the charge was made; a recovery begins a new one.', 1),
    walletSeq: nullable(
      integer("The wallet's number of the charge in that epoch; null if the charge was made without a wallet.", 42),
    ),
  },
  { title: 'OperatorReceipt' },
);

/** 12 × 0.18 + 30 × 0.72 millionths of a dollar are `charge`. */
function partExample({ name, price }: (typeof tokenUnits)[number]) {
  const amounts: Readonly<Record<string, string>> = { prompt: '0.00000216', completion: '0.0000216' };
  const tokens = usedTokens[name] ?? 0;
  return { class: price, tokens, perMillionTokens: listedPrices[price], amount: amounts[price] ?? '0' };
}

/** Throws GatewayError `invalid_parameter`. */
export function parseRequestFilter(
  accountId: number,
  { keyId, projectId, memberId, model, cursor, from, to, replaced }: typeof requestsQuery.static,
): Omit<RequestFilter, 'dimension'> {
  const position = cursor === undefined ? undefined : decodeRequestCursor(cursor, 'cursor');
  return {
    accountId,
    keyId,
    projectId,
    memberId,
    model,
    ...parseRange({ from, to }),
    replacedToo: replaced === 'true',
    behind: position && { chargedAt: position.at, requestId: position.id, rank: position.rank },
  };
}
