/** A server on loopback whose answer the test decides. */
export interface ListServer {
  readonly url: string;
  /** How often it was asked. */
  readonly asked: number;
  /** From now on. */
  answer: (request: Request) => Response | Promise<Response>;
  stop(): Promise<void>;
}

export function startListServer(): ListServer {
  let asked = 0;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      asked += 1;
      return list.answer(request);
    },
  });
  const list: ListServer = {
    url: `http://127.0.0.1:${server.port}/prices.json`,
    get asked() {
      return asked;
    },
    answer: () => new Response('', { status: 404 }),
    stop: () => server.stop(true),
  };
  return list;
}
