/**
 * GET /v1/openapi.json, rendered once; the ETag saves tools that poll from downloading it again. And GET /, which says
 * what this server is and where its documentation is.
 */
import { matchesEtag } from '../../../shared/http/request-headers.ts';
import { inferenceDocument } from '../../../shared/openapi/documents.ts';

let rendered: { readonly body: string; readonly etag: string } | undefined;

export function handleDocument(request: Request): Response {
  const { body, etag } = render();
  const headers = { etag, 'cache-control': 'no-cache', vary: 'origin' };
  if (matchesEtag(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers });
  return new Response(body, { headers: { ...headers, 'content-type': 'application/json' } });
}

function render() {
  if (rendered === undefined) {
    const body = inferenceDocument('/');
    rendered = { body, etag: `"${new Bun.CryptoHasher('sha256').update(body).digest('base64url')}"` };
  }
  return rendered;
}

const description =
  'One OpenAI-compatible API for many models, paid from a prepaid balance. Use <this address>/v1 as the base URL of any OpenAI client, with a proxy key, `ms-…`.';

/** URLs are relative to the request's. */
export const handleRoot = (): Response =>
  Response.json({
    name: 'Model gateway: inference API',
    description,
    openapi: '/v1/openapi.json',
    models: '/v1/models',
    documentation: 'Swagger UI is at /api/docs of the account API.',
  });
