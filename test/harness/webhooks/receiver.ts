/** A webhook endpoint on loopback that verifies what arrives as Standard Webhooks says, and answers as the test wants. */
import { Webhook } from 'standardwebhooks';

export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export class Receiver {
  readonly received: ReceivedWebhook[] = [];
  /** By path; 200 by default. */
  readonly answers = new Map<string, () => Response | Promise<Response>>();
  readonly #server: ReturnType<typeof Bun.serve>;

  constructor() {
    this.#server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      idleTimeout: 0,
      fetch: async (request) => {
        const path = new URL(request.url).pathname;
        const body = await request.text();
        this.received.push({ path, headers: Object.fromEntries(request.headers), body });
        return this.answers.get(path)?.() ?? new Response('thanks');
      },
    });
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.#server.port}${path}`;
  }

  at(path: string): ReceivedWebhook[] {
    return this.received.filter((each) => each.path === path);
  }

  /** Throws WebhookVerificationError. */
  static verify(secret: string, { body, headers }: ReceivedWebhook): unknown {
    return new Webhook(secret).verify(body, { ...headers });
  }

  stop(): Promise<void> {
    return this.#server.stop(true);
  }
}
