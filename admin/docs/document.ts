/**
 * The OpenAPI document of everything under /api. @elysiajs/swagger collects the routes; it can only do so as a route
 * itself, so it runs in an application of its own that is asked once and never listens.
 */
import { type ElysiaSwaggerConfig, swagger } from '@elysiajs/swagger';
import { type AnyElysia, Elysia } from 'elysia';
import packageJson from '../../package.json' with { type: 'json' };

const description = `
Manages accounts, API keys and money of the model gateway. Inference itself (\`/v1/…\`) is served by the proxy and
speaks OpenAI's interface.

Every error has one shape, \`{"error": {"message", "type", "code", "param"}}\`, and every answer an \`x-request-id\`.
Amounts are in USD unless their name says otherwise.
`;

const documentation: NonNullable<ElysiaSwaggerConfig['documentation']> = {
  info: { title: 'Model gateway: account API', version: packageJson.version, description },
  tags: [
    { name: 'Authentication', description: 'Sign up, log in, stay logged in.' },
    { name: 'Profile', description: 'Who the user is, and whom documents are made out to.' },
    { name: 'Notifications', description: 'When and how an account is told that its balance runs low.' },
    { name: 'Money', description: 'Balance and transactions.' },
    { name: 'Proxy keys by billing key', description: 'For programs that manage the keys of an account.' },
    { name: 'Proxy keys', description: 'The same for a logged-in user.' },
    { name: 'Billing keys', description: 'Keys that manage proxy keys; made by a logged-in user.' },
    { name: 'Operators', description: 'For users with the role of an operator.' },
  ],
  components: {
    securitySchemes: {
      accessToken: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description: 'An access token from `POST /api/auth/login`, good for 15 minutes.',
      },
      billingKey: {
        type: 'http',
        scheme: 'bearer',
        description: 'A billing key, `mk-…`. It manages proxy keys and nothing else.',
      },
      proxyKey: {
        type: 'http',
        scheme: 'bearer',
        description: 'A proxy key, `ms-…`. It pays for inference at `/v1/…` of the proxy and opens nothing here.',
      },
    },
    schemas: {
      Error: {
        type: 'object',
        required: ['error'],
        properties: {
          error: {
            type: 'object',
            required: ['message', 'type', 'code', 'param'],
            properties: {
              message: { type: 'string', description: 'For people; may change.' },
              type: { type: 'string', description: 'The category, such as `invalid_request_error`.' },
              code: { type: 'string', description: 'For programs; never changes.' },
              param: { type: 'string', nullable: true, description: 'The parameter at fault: `items[0].name`.' },
              errors: {
                type: 'array',
                description: 'Every parameter at fault, from endpoints that look at all of them.',
                items: {
                  type: 'object',
                  required: ['param', 'code', 'message'],
                  properties: { param: { type: 'string' }, code: { type: 'string' }, message: { type: 'string' } },
                },
              },
            },
          },
        },
      },
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
  return response.text();
}
