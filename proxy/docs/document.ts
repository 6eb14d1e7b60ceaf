/**
 * The OpenAPI document of everything under /v1, made of the very schemas that requests are checked with. It is built
 * where the source is checked and kept in shared/openapi, from where both programs serve it.
 */
import packageJson from '../../package.json' with { type: 'json' };
import { errorSchema } from '../../shared/openapi/error-schema.ts';
import { chatPaths, chatSchemas } from './chat/endpoint.ts';
import { completionPaths, completionSchemas } from './completions.ts';
import { embeddingPaths, embeddingSchemas } from './embeddings.ts';
import { headers, parameters } from './headers.ts';
import { keyStatusPaths, keyStatusSchemas } from './key-status.ts';
import { messagePaths, messageSchemas } from './messages/endpoints.ts';
import { modelPaths, modelSchemas } from './models.ts';
import { plainSchema } from './plain-schema.ts';
import { quotePaths, quoteSchemas } from './quote.ts';
import { responsePaths, responseSchemas } from './responses/endpoint.ts';
import { usage } from './usage.ts';

const description = `
Many models of many providers behind one interface, paid from a prepaid balance. Any client of OpenAI's works with this
address and a proxy key; clients of Anthropic's find their own interface beside it.

A request holds the price of its worst case, and is charged for what it has really used. What it cost stands in the
answer: \`usage.cost\`, and the header \`x-cost-usd\` where the answer is not streamed. A request that fails before any
output costs nothing.

Every error has one shape, \`{"error": {"message", "type", "code", "param"}}\`, and every answer an \`x-request-id\`.
Keys, balance and transactions are managed in the account API.
`;

const tags = [
  { name: 'Chat', description: "Conversations, in OpenAI's interface." },
  { name: 'Responses', description: "Conversations, in OpenAI's newer interface." },
  { name: 'Messages', description: "Conversations, in Anthropic's interface." },
  { name: 'Completions', description: 'Texts, continued.' },
  { name: 'Embeddings', description: 'Texts as vectors.' },
  { name: 'Models', description: 'What can be asked, and what it costs.' },
  { name: 'Quotes', description: 'What a request would cost.' },
  { name: 'Keys', description: 'What a key may do, and what its account has.' },
];

const securitySchemes = {
  proxyKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'A proxy key, `ms-…`, made in the dashboard or with `POST /api/keys` of the account API.',
  },
  apiKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: "The same key, as Anthropic's clients send it.",
  },
};

export function buildInferenceDocument(): object {
  const schemas: Readonly<Record<string, object>> = {
    ...chatSchemas,
    ...responseSchemas,
    ...messageSchemas,
    ...completionSchemas,
    ...embeddingSchemas,
    ...modelSchemas,
    ...quoteSchemas,
    ...keyStatusSchemas,
    Usage: usage,
    Error: errorSchema({ type: ['string', 'null'] }),
  };
  return {
    openapi: '3.1.0',
    info: { title: 'Model gateway: inference API', version: packageJson.version, description },
    // Relative to where the document is read.
    servers: [{ url: '/' }],
    tags,
    paths: {
      ...chatPaths,
      ...responsePaths,
      ...messagePaths,
      ...completionPaths,
      ...embeddingPaths,
      ...modelPaths,
      ...quotePaths,
      ...keyStatusPaths,
    },
    components: {
      securitySchemes,
      headers,
      parameters,
      schemas: Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, plainSchema(schema)])),
    },
  };
}
