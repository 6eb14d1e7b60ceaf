/**
 * The OpenAPI document of everything under /v1, made of the very schemas that requests are checked with. It is built
 * where the source is checked and kept in shared/openapi, from where both programs serve it.
 */
import packageJson from '../../../package.json' with { type: 'json' };
import { errorSchema } from '../../../shared/openapi/error-schema.ts';
import { chatPaths, chatSchemas } from '../chat-completions/chat-operation.ts';
import { completionPaths, completionSchemas } from '../completions/completions-operation.ts';
import { embeddingPaths, embeddingSchemas } from '../embeddings/embeddings-operation.ts';
import { imagePaths, imageSchemas } from '../images/images-operation.ts';
import { keyStatusPaths, keyStatusSchemas } from '../key-status/key-status-operations.ts';
import { messagePaths, messageSchemas } from '../messages/messages-operations.ts';
import { modelPaths, modelSchemas } from '../models/models-operations.ts';
import { quotePaths, quoteSchemas } from '../quote/quote-operation.ts';
import { responsePaths, responseSchemas } from '../responses/responses-operation.ts';
import { headers, parameters } from './headers.ts';
import { openApi31Schema } from './plain-schema.ts';
import { usage } from './usage-schemas.ts';

const description = `
Many models of many providers behind one interface, paid from a prepaid balance. Any OpenAI client works with this
address and a proxy key; Anthropic clients find their own interface beside it.

While a request runs, the most that it can cost is held. When it ends, the tokens that were used or the images that
were generated are charged, and the rest is available again. The answer includes the cost: \`usage.cost\`, and the header \`x-cost-usd\` if it is not
streamed. A request that fails before any output costs nothing.

Every error has the shape \`{"error": {"message", "type", "code", "param"}}\`, except under \`/v1/messages\`, which has
Anthropic's. Every answer has an \`x-request-id\`. Keys, balance and transactions are managed in the account API.
`;

const tags = [
  { name: 'Chat', description: "Conversations, in OpenAI's chat completions interface. The usual choice." },
  { name: 'Responses', description: "Conversations, in OpenAI's newer Responses interface." },
  { name: 'Messages', description: "Conversations, in Anthropic's interface." },
  { name: 'Completions', description: 'Continuations of a text, with completion models.' },
  { name: 'Embeddings', description: 'Vectors that represent texts.' },
  { name: 'Images', description: 'Images of what a text describes.' },
  { name: 'Models', description: 'The models that can be used, with their limits and prices.' },
  { name: 'Quotes', description: 'The most that a request can cost, before it is sent.' },
  { name: 'Keys', description: 'The limits of a key, and the balance of its account.' },
];

const securitySchemes = {
  proxyKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A proxy key, `ms-…`, created in the dashboard or with `POST /api/keys` of the account API. Whoever has it can spend ' +
      'the balance of its account.',
  },
  apiKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'The same proxy key, in the header that Anthropic clients use.',
  },
};

export function buildInferenceDocument(): object {
  const schemas: Readonly<Record<string, object>> = {
    ...chatSchemas,
    ...responseSchemas,
    ...messageSchemas,
    ...completionSchemas,
    ...embeddingSchemas,
    ...imageSchemas,
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
      ...imagePaths,
      ...modelPaths,
      ...quotePaths,
      ...keyStatusPaths,
    },
    components: {
      securitySchemes,
      headers,
      parameters,
      schemas: Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, openApi31Schema(schema)])),
    },
  };
}
