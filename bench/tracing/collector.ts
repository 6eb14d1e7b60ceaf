/** A collector of traces that responds immediately and counts what it gets, on the core of the load: `bun collector.ts PORT`. */

let spans = 0;

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.argv[2]),
  fetch: async (request) => {
    if (request.method === 'GET') return Response.json({ spans });
    spans += (await request.text()).match(/"spanId"/g)?.length ?? 0;
    return Response.json({});
  },
});
