/**
 * The simplest possible gateway on Bun: every request is forwarded unchanged, and so is its response.
 * `bun bench/contenders/bare-bun/main.ts PORT UPSTREAM_PORT`.
 */
const [port, upstreamPort] = process.argv.slice(2).map(Number);
const upstream = `http://127.0.0.1:${upstreamPort}`;

Bun.serve({
  hostname: '127.0.0.1',
  port: port ?? 0,
  idleTimeout: 0,
  async fetch(request) {
    const path = request.url.slice(request.url.indexOf('/', 'http://'.length));
    const { headers } = request;
    headers.delete('host');
    const body = await request.arrayBuffer();
    const { method, signal } = request;
    const response = await fetch(upstream + path, { method, headers, body, signal, decompress: false, timeout: false });
    return new Response(response.body, { status: response.status, headers: response.headers });
  },
});
