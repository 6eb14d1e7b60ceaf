/**
 * What a person gets who opens `/` or `/v1` in a browser: the documentation, where its address is known, or a page that
 * says what this is. Clients of the API ask for JSON, and get it.
 */

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Model gateway</title>
<h1>Model gateway</h1>
<p>This is an API: one OpenAI-compatible API for many models. Use this address, ending in <code>/v1</code>, as the base
URL of any OpenAI client, with a proxy key.</p>
<ul>
<li><a href="/v1/models">Models and prices</a></li>
<li><a href="/v1/openapi.json">OpenAPI document</a></li>
</ul>
`;

export const isFromBrowser = (request: Request): boolean =>
  request.headers.get('accept')?.toLowerCase().includes('text/html') === true;

/** `adminUrl` is admin's public address. */
export function handleBrowser(adminUrl: string | undefined): Response {
  const headers = { vary: 'accept', 'cache-control': 'no-cache' };
  if (adminUrl !== undefined) {
    return new Response(null, { status: 302, headers: { ...headers, location: `${adminUrl}/api/docs` } });
  }
  const policy = "default-src 'none'; frame-ancestors 'none'";
  const type = 'text/html; charset=utf-8';
  return new Response(page, { headers: { ...headers, 'content-type': type, 'content-security-policy': policy } });
}
