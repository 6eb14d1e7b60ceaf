/** One redis-server of a topology, with a connection for the test. */
import { Redis } from 'ioredis';
import { freePort } from '../../../local/servers/ports.ts';
import type { RunningServer } from '../../../local/servers/postgres.ts';
import { startRedis } from '../../../local/servers/redis.ts';
import { waitFor } from '../account-view.ts';

const responseTimeoutMs = 120_000;

export class RedisNode {
  readonly port: number;
  #server: RunningServer;
  readonly #start: () => Promise<RunningServer>;
  #connection: Redis | undefined;

  private constructor(port: number, server: RunningServer, start: () => Promise<RunningServer>) {
    this.port = port;
    this.#server = server;
    this.#start = start;
  }

  /** `directory` is for this server only. */
  static async start(options: { directory: string; appendOnly?: boolean; settings?: string[] }): Promise<RedisNode> {
    const port = await freePort();
    const start = () =>
      startRedis({
        dataDir: options.directory,
        port,
        appendOnly: options.appendOnly ?? false,
        extraArguments: options.settings ?? [],
      });
    return new RedisNode(port, await start(), start);
  }

  /** Connects on first use, and again after a restart. */
  get connection(): Redis {
    if (this.#connection === undefined || this.#connection.status === 'end') {
      this.#connection = new Redis({ port: this.port, host: '127.0.0.1', retryStrategy: () => null });
      this.#connection.on('error', () => {});
    }
    return this.#connection;
  }

  async role(): Promise<string> {
    const [role] = await this.connection.call('ROLE').then((reply) => (Array.isArray(reply) ? reply : []));
    return String(role);
  }

  /** Resolves when every replica has everything that this server has executed so far. */
  async replicated(replicas: number): Promise<void> {
    const mark = `replicated:${crypto.randomUUID()}`;
    await waitFor('the replicas to catch up', responseTimeoutMs, async () => {
      // WAIT covers the writes of its own connection, so there has to be one; publishing touches no slot.
      await this.connection.publish(mark, '');
      return (await this.connection.wait(replicas, 1_000)) >= replicas;
    });
  }

  async kill(): Promise<void> {
    process.kill(this.#server.pid, 'SIGKILL');
    await this.#server.exited;
    this.#connection?.disconnect();
  }

  async startAgain(): Promise<void> {
    this.#server = await this.#start();
  }

  async stop(): Promise<void> {
    this.#connection?.disconnect();
    await this.#server.stop();
  }
}
