/**
 * The OpenAPI document of everything under /api. @elysiajs/swagger collects the routes; it can only do so as a route
 * itself, so it runs in a separate application that is called once and never listens.
 */
import { type ElysiaSwaggerConfig, swagger } from '@elysiajs/swagger';
import { type AnyElysia, Elysia } from 'elysia';
import packageJson from '../../../package.json' with { type: 'json' };
import { errorHeaders } from '../../../shared/openapi/describe-errors.ts';
import { errorSchema } from '../../../shared/openapi/error-schema.ts';
import { type Document, withComponents } from './components.ts';

const description = `
Manages accounts, API keys and money of the model gateway. Inference itself (\`/v1/…\`) is served by the proxy and has
a document of its own.

Every error has one shape, \`{"error": {"message", "type", "code", "param"}}\`, and every response an \`x-request-id\`.

Amounts are in USD unless their name says otherwise. An amount that is a number has its exact value beside it, as a
decimal string of the same name with the currency appended: \`amount\` and \`amountUsd\`,
\`lowBalanceThreshold\` and \`lowBalanceThresholdRub\`; \`balanceRub\`, whose name ends in the currency, has
\`balanceRubDecimal\`. The number is the nearest one that a double can hold: show it, and calculate with the string.
All other amounts are decimal strings already. A decimal string has neither an exponent nor trailing zeros, and at most
9 decimals in USD and 2 in RUB; prices, and the parts of a receipt, may have more.

Requests take the number. Where an answer is sent back with a change, a string that repeats its number or has not changed
is ignored, and any other is an error.
`;

const errorDetails = {
  type: 'object' as const,
  description: 'Facts about some errors besides the code, for programs. Amounts are exact decimal strings.',
  properties: {
    balanceUsd: {
      type: 'string' as const,
      description: 'For `balance_left`: the balance to forfeit, in the form that `forfeitBalanceUsd` accepts.',
    },
    challenge: { type: 'string' as const, description: 'For `second_factor_required`: what to answer.' },
    expiresAt: {
      type: 'string' as const,
      format: 'date-time' as const,
      description: 'For `second_factor_required`: when the challenge ends.',
    },
    methods: {
      type: 'string' as const,
      description: 'For `second_factor_required`: any of `app`, `passkey` and `recovery_code`, between commas.',
    },
  },
};

const documentation: NonNullable<ElysiaSwaggerConfig['documentation']> = {
  info: { title: 'Model gateway: account API', version: packageJson.version, description },
  // Relative to the address of the document.
  servers: [{ url: '/' }],
  tags: [
    { name: 'Authentication', description: 'Sign up, log in, stay logged in.' },
    { name: 'Profile', description: 'Who the user is, and whom accounting documents are issued to.' },
    { name: 'Organization', description: 'The people who share a balance: members, their roles, and invitations.' },
    { name: 'Webhooks', description: 'Events of the organization, sent to addresses of its own.' },
    { name: 'Account', description: 'The account as a whole: export its data, or delete it.' },
    { name: 'Notifications', description: 'When and how low-balance alerts are sent.' },
    { name: 'Gateway', description: 'How to reach the gateway, and its models with their prices.' },
    { name: 'Money', description: 'Balance, usage, receipts and transactions.' },
    {
      name: 'Payments',
      description: 'Top up the balance: by bank transfer, card, or another method that the gateway offers.',
    },
    { name: 'Documents', description: 'Invoices, acts and reconciliations for companies, as PDF files.' },
    { name: 'Proxy keys by billing key', description: 'For programs that manage the keys of an account.' },
    { name: 'Proxy keys', description: 'The same for a logged-in user.' },
    { name: 'Billing keys', description: 'Keys that manage proxy keys, created by a logged-in user.' },
    { name: 'Operators', description: 'For users with the role of an operator.' },
  ],
  components: {
    securitySchemes: {
      accessToken: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description: 'An access token from `POST /api/auth/login`, valid for 15 minutes.',
      },
      billingKey: {
        type: 'http',
        scheme: 'bearer',
        description: 'A billing key, `mk-…`. It only manages proxy keys.',
      },
      proxyKey: {
        type: 'http',
        scheme: 'bearer',
        description: 'A proxy key, `ms-…`. It is for inference at `/v1/…` of the proxy and is not accepted here.',
      },
    },
    headers: errorHeaders,
    schemas: {
      Error: errorSchema({ type: 'string' as const, nullable: true }, { details: errorDetails }),
    },
  },
};

const documentPath = '/document';

/** The document as JSON text. */
export async function buildDocument(routes: AnyElysia): Promise<string> {
  const collector = new Elysia().use(routes).use(
    swagger({
      path: '/page',
      specPath: documentPath,
      documentation,
    }),
  );
  const response = await collector.handle(new Request(`http://localhost${documentPath}`));
  return JSON.stringify(withComponents((await response.json()) as Document));
}
