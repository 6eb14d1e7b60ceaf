/** GET /. Says what this server is and where its documentation is. */

const description =
  'One OpenAI-compatible interface to many models, paid from a prepaid balance. Use <this address>/v1 as the base URL of any OpenAI client, with a proxy key, `ms-…`.';

/** URLs are relative to the request's. */
export const answerRoot = (): Response =>
  Response.json({
    name: 'Model gateway: inference API',
    description,
    openapi: '/v1/openapi.json',
    models: '/v1/models',
    documentation: 'Swagger UI is at /api/docs of the account API.',
  });
