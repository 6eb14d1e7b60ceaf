/** GET /. Says to whoever opens the address what this is, and where to read on. */

const description =
  'One OpenAI-compatible interface to many models, paid from a prepaid balance. Use <this address>/v1 as the base URL of any OpenAI client, with a proxy key, `ms-…`.';

/** Addresses are relative to the one that was asked. */
export const answerRoot = (): Response =>
  Response.json({
    name: 'Model gateway: inference API',
    description,
    openapi: '/v1/openapi.json',
    models: '/v1/models',
    documentation: 'Swagger UI is at /api/docs of the account API.',
  });
