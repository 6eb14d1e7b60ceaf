/** A TCP relay in front of one Redis that can drop replies, delay them, or cut every connection. */
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '../../../local/servers/ports.ts';

export interface FaultProxy {
  readonly port: number;
  /** Commands pass and replies are dropped: a connection that has lost one stays silent for ever. */
  swallowReplies(): void;
  /** Replies are held back, and delivered in order when the proxy is healed. */
  holdReplies(): void;
  /** Ends swallowing and holding. */
  heal(): void;
  /** Resets all open connections. */
  cut(): void;
  /** Cuts everything and stops listening, until `accept`. */
  refuse(): Promise<void>;
  accept(): Promise<void>;
  stop(): Promise<void>;
}

export async function startFaultProxy(redisPort: number): Promise<FaultProxy> {
  const connections = new Set<Socket>();
  const held: { client: Socket; reply: Buffer | string }[] = [];
  const silent = new WeakSet<Socket>();
  let mode: 'pass' | 'swallow' | 'hold' = 'pass';

  const server = createServer((client) => {
    const redis = connect({ port: redisPort, host: '127.0.0.1' });
    for (const socket of [client, redis]) {
      socket.setNoDelay(true);
      connections.add(socket);
      // A reset is expected here; the close that follows ends the other side.
      socket.on('error', () => {});
    }
    client.on('data', (command) => redis.write(command));
    redis.on('data', (reply) => {
      if (mode === 'swallow') silent.add(client);
      if (silent.has(client)) return;
      if (mode === 'hold') held.push({ client, reply });
      else client.write(reply);
    });
    const end = (socket: Socket, other: Socket) => {
      connections.delete(socket);
      other.destroy();
    };
    client.on('close', () => end(client, redis));
    redis.on('close', () => end(redis, client));
  });
  const port = await freePort();
  const accept = () => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await accept();
  const cut = () => {
    for (const socket of connections) socket.destroy();
  };
  const refuse = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    cut();
    await closed;
  };
  return {
    port,
    swallowReplies: () => {
      mode = 'swallow';
    },
    holdReplies: () => {
      mode = 'hold';
    },
    heal: () => {
      mode = 'pass';
      for (const { client, reply } of held.splice(0)) if (!client.destroyed) client.write(reply);
    },
    cut,
    refuse,
    accept,
    stop: refuse,
  };
}
