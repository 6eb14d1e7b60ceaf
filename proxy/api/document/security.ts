/** How a proxy key is sent: as a bearer token, or also in the header of Anthropic's clients. */
export const securitySchemes = {
  proxyKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A proxy key, `ms-…`, created in the dashboard or with `POST /api/keys` of the account API. Anyone who has the key ' +
      'can spend the balance of its account.',
  },
  apiKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'The same proxy key, in the header that Anthropic clients use.',
  },
};

type SchemeName = keyof typeof securitySchemes;

export const proxyKey: readonly SchemeName[] = ['proxyKey'];
export const eitherKey: readonly SchemeName[] = ['proxyKey', 'apiKeyHeader'];
