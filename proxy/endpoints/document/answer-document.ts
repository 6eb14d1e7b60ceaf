/** GET /v1/openapi.json. Rendered once; the ETag saves tools that poll from downloading it again. */
import { matchesEtag } from '../../../shared/http/matches-etag.ts';
import { inferenceDocument } from '../../../shared/openapi/inference-document.ts';

let rendered: { readonly body: string; readonly etag: string } | undefined;

export function answerDocument(request: Request): Response {
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
