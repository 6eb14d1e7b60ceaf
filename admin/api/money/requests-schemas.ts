/** Charged requests as a customer sees them: in the list, and with all that can be told of one. */
import { Type } from '@sinclair/typebox';
import { decodeCursor } from '../../http/request/page-cursor.ts';
import type { RequestFilter } from '../../ledger/queries/list-requests.ts';
import { parseRange, rangeFields } from '../fields/range-query.ts';
import { label, nullable, timestamp } from '../fields/schemas.ts';

export const requestsMax = 100;
const modelMaxLength = 128;

export const requestsQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: requestsMax,
      default: requestsMax,
      description: `a whole number from 1 to ${requestsMax}`,
    }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 200, description: 'the `nextCursor` of the page before' })),
  keyId: Type.Optional(
    Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'the id of a proxy key' }),
  ),
  model: Type.Optional(label(modelMaxLength)),
  ...rangeFields,
});

export const requestParams = Type.Object({
  requestId: Type.String({
    pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
    description: 'the `x-request-id` of a request',
  }),
});

const usd = (description: string) => Type.String({ description: `${description} A decimal, in USD.` });
const tokens = Type.Integer({ minimum: 0 });

export const tokenFields = {
  promptTokens: tokens,
  cachedPromptTokens: Type.Integer({ minimum: 0, description: 'Of the prompt, read from the cache.' }),
  cacheWriteTokens: Type.Integer({ minimum: 0, description: 'Of the prompt, written to the cache.' }),
  completionTokens: tokens,
  reasoningTokens: Type.Integer({ minimum: 0, description: 'Of the completion.' }),
};

const requestFields = {
  requestId: Type.String({ format: 'uuid' }),
  model: Type.String(),
  key: Type.Object({ id: Type.Integer(), name: nullable(Type.String()), prefix: nullable(Type.String()) }),
  startedAt: timestamp,
  chargedAt: timestamp,
  estimated: Type.Boolean({ description: 'The provider did not report the usage, or not yet.' }),
  final: Type.Boolean({ description: 'False where an estimate was charged that may still be corrected.' }),
  ...tokenFields,
  charged: usd('What the request has cost the customer.'),
};

export const requestSchema = Type.Object(requestFields);

const classPrices = Type.Object(
  {
    prompt: Type.String(),
    cachedPrompt: Type.String(),
    cacheWrite: Type.String(),
    completion: Type.String(),
    reasoning: Type.String(),
  },
  { description: 'USD per million tokens, decimals.' },
);

const receiptFields = {
  ...requestFields,
  price: Type.Object({ version: Type.Integer(), effectiveFrom: timestamp, perMillionTokens: classPrices }),
  cost: Type.Object(
    {
      parts: Type.Array(
        Type.Object({
          class: Type.String({ description: 'prompt, cachedPrompt, cacheWrite, completion or reasoning' }),
          tokens: Type.Integer({ description: 'In this class only.' }),
          perMillionTokens: Type.String(),
          amount: usd('`tokens` at that price, exact.'),
        }),
      ),
      exact: usd('The sum of the parts.'),
      rounding: usd('What is added to make it whole billionths of a dollar; done once.'),
      total: usd('`exact` + `rounding`.'),
      uncharged: usd("What the wallet could not cover: the gateway's loss."),
      charged: usd('`total` - `uncharged`.'),
    },
    { description: 'How the tokens become the charge.' },
  ),
  correctedFrom: nullable(
    Type.Object(
      { chargedAt: timestamp, ...tokenFields, charged: Type.String() },
      { description: 'The estimate that was charged first.' },
    ),
  ),
  transactions: Type.Array(
    Type.Object({ id: Type.Integer(), createdAt: timestamp, amount: usd('Negative for a charge.') }),
    { description: 'What was booked; a correction is a second one. Empty where nothing was charged.' },
  ),
  balanceAfter: usd('The balance after the last of the transactions.'),
};

export const receiptSchema = Type.Object(receiptFields);

/** Besides what the customer sees: whose request it is, who has answered it, and what is behind the listed prices. */
export const operatorReceiptSchema = Type.Object({
  ...receiptFields,
  accountId: Type.Integer(),
  deployment: Type.String({ description: 'Who has answered; empty where nobody was asked.' }),
  markup: Type.String({ description: 'The factor between the two prices.' }),
  providerPrices: classPrices,
  walletEpoch: Type.Integer(),
  walletSeq: nullable(Type.Integer({ description: "The wallet's number of the charge; null without a wallet." })),
});

/** Throws GatewayError `invalid_parameter`. */
export function parseRequestFilter(
  accountId: number,
  { keyId, model, cursor, from, to }: typeof requestsQuery.static,
): RequestFilter {
  const position = cursor === undefined ? undefined : decodeCursor(cursor, 'cursor');
  return {
    accountId,
    keyId,
    model,
    ...parseRange({ from, to }),
    behind: position && { chargedAt: position.at, requestId: position.id },
  };
}
