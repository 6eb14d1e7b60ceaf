/** A token server that grants, stalls, refuses or sends garbage as a test sets it, and records its requests. */

export interface TokenServer {
  readonly url: string;
  readonly requests: readonly TokenRequest[];
  /** The response to the next and all later requests. By default a new token, valid for 30 minutes. */
  respondWith(with_: () => Response | Promise<Response>): void;
  stop(): Promise<void>;
}

interface TokenRequest {
  readonly method: string;
  readonly headers: Headers;
  readonly body: string;
}

export const lifetimeMs = 30 * 60_000;

export function startTokenServer(
  options: { now?: () => number; tls?: { cert: string; key: string } } = {},
): TokenServer {
  const { now = Date.now, tls } = options;
  const requests: TokenRequest[] = [];
  const grant = () => Response.json({ access_token: `token-${requests.length}`, expires_at: now() + lifetimeMs });
  let response: () => Response | Promise<Response> = grant;
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    development: false,
    ...(tls && { tls }),
    fetch: async (request) => {
      requests.push({ method: request.method, headers: request.headers, body: await request.text() });
      return response();
    },
  });
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${server.port}/api/v2/oauth`,
    requests,
    respondWith: (with_) => {
      response = with_;
    },
    stop: () => server.stop(true),
  };
}
