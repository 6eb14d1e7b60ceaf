/**
 * The OpenAPI document of everything under /v1, built from the schemas that validate requests. It is built when the
 * source is checked and committed in shared/openapi, from where both programs serve it.
 */
import packageJson from '../../../package.json' with { type: 'json' };
import { errorSchema } from '../../../shared/openapi/error-schema.ts';
import { batchPaths, batchSchemas } from '../batches/batches-operations.ts';
import { chatPaths, chatSchemas } from '../chat-completions/chat-operation.ts';
import { completionPaths, completionSchemas } from '../completions/completions-operation.ts';
import { embeddingPaths, embeddingSchemas } from '../embeddings/embeddings-operation.ts';
import { filePaths, fileSchemas } from '../files/files-operations.ts';
import { imagePaths, imageSchemas } from '../images/images-operation.ts';
import { keyStatusPaths, keyStatusSchemas } from '../key-status/key-status-operations.ts';
import { messagePaths, messageSchemas } from '../messages/messages-operations.ts';
import { modelPaths, modelSchemas } from '../models/models-operations.ts';
import { moderationPaths, moderationSchemas } from '../moderations/moderations-operation.ts';
import { quotePaths, quoteSchemas } from '../quote/quote-operation.ts';
import { rerankPaths, rerankSchemas } from '../rerank/rerank-operation.ts';
import { responsePaths, responseSchemas } from '../responses/responses-operation.ts';
import { speechPaths, speechSchemas } from '../speech/speech-operation.ts';
import { transcriptionPaths, transcriptionSchemas } from '../transcriptions/transcription-operations.ts';
import { headers, parameters } from './headers.ts';
import { openApi31Schema } from './plain-schema.ts';
import { securitySchemes } from './security.ts';
import { usage } from './usage-schemas.ts';

const description = `
Models of many providers behind one API, paid from a prepaid balance. Any OpenAI client works with this
base URL and a proxy key. Anthropic clients use Anthropic's API format under \`/v1/messages\`.

While a request runs, its maximum cost is held. When it ends, you are charged for the tokens that were used, the images that were
generated, or the audio, and the rest becomes available again. The response includes the cost: in
\`usage.cost\` and, unless it is streamed, in the \`x-cost-usd\` header. A request that fails before any output costs nothing.

Every error has the shape \`{"error": {"message", "type", "code", "param"}}\`, except under \`/v1/messages\`, where it
has Anthropic's. Every response has an \`x-request-id\`. Keys, balance and transactions are managed in the account API.
`;

const tags = [
  { name: 'Chat', description: "Conversations, in the format of OpenAI's Chat Completions API. The usual choice." },
  { name: 'Responses', description: "Conversations, in the format of OpenAI's newer Responses API." },
  { name: 'Messages', description: "Conversations, in the format of Anthropic's Messages API." },
  { name: 'Completions', description: 'Continuations of a text, with completion models.' },
  { name: 'Embeddings', description: 'Vectors that represent texts.' },
  { name: 'Images', description: 'Images generated from a description.' },
  { name: 'Audio', description: 'Texts, spoken, and recordings, transcribed.' },
  { name: 'Moderations', description: 'Whether texts and pictures are harmful.' },
  { name: 'Rerank', description: 'Documents in the order of their relevance to a query.' },
  { name: 'Batches', description: 'Many requests at once, run within a day.' },
  { name: 'Files', description: 'The requests of batches, and what they have brought.' },
  { name: 'Models', description: 'The available models, with their limits and prices.' },
  { name: 'Quotes', description: 'The maximum cost of a request, before it is sent.' },
  { name: 'Keys', description: 'The limits of a key, and the balance of its account.' },
];

export function buildInferenceDocument(): object {
  const schemas: Readonly<Record<string, object>> = {
    ...chatSchemas,
    ...responseSchemas,
    ...messageSchemas,
    ...completionSchemas,
    ...embeddingSchemas,
    ...imageSchemas,
    ...speechSchemas,
    ...transcriptionSchemas,
    ...moderationSchemas,
    ...rerankSchemas,
    ...batchSchemas,
    ...fileSchemas,
    ...modelSchemas,
    ...quoteSchemas,
    ...keyStatusSchemas,
    Usage: usage,
    Error: errorSchema({ type: ['string', 'null'] }),
  };
  return {
    openapi: '3.1.0',
    info: { title: 'Model gateway: inference API', version: packageJson.version, description },
    // Relative to the document's own URL.
    servers: [{ url: '/' }],
    tags,
    paths: {
      ...chatPaths,
      ...responsePaths,
      ...messagePaths,
      ...completionPaths,
      ...embeddingPaths,
      ...imagePaths,
      ...speechPaths,
      ...transcriptionPaths,
      ...moderationPaths,
      ...rerankPaths,
      ...batchPaths,
      ...filePaths,
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
