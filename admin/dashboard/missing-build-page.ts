/** The page at the dashboard's addresses when it has not been built. */

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>The dashboard is not built</title>
  </head>
  <body>
    <h1>The dashboard is not built</h1>
    <p>Build it with <code>bun run dashboard:build</code>, then reload this page. <code>npm start</code> does so by itself.</p>
    <p>The API works without it: <a href="/api/docs">API reference</a>.</p>
  </body>
</html>
`;

export function missingBuildPage(headers: Readonly<Record<string, string>>): Response {
  return new Response(page, {
    status: 503,
    headers: { ...headers, 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  });
}
