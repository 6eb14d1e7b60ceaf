/** A number of connections, each with one request in flight at any time: as much as the other side can handle. */
import { isStreamed } from '../bodies.ts';
import { Connection, reconnectPauseMs } from '../connection.ts';
import { recordedExchange } from '../exchange.ts';
import type { Traffic, TrafficOptions } from './traffic.ts';

/** Staggered, because streams that begin together would stay in step. */
const startsSpreadMs = 1_000;

export async function startClosedLoop(
  { job, requests, recorder }: TrafficOptions,
  connections: number,
): Promise<Traffic> {
  const streamed = isStreamed(job.body);
  let stopped = false;
  const run = async (index: number): Promise<void> => {
    if (streamed) await Bun.sleep((index / connections) * startsSpreadMs);
    while (!stopped) {
      const connection = await Connection.open(job.port).catch(() => undefined);
      if (connection === undefined) recorder.failed('no connection');
      else await repeat(connection);
      connection?.close();
      if (!stopped) await Bun.sleep(reconnectPauseMs);
    }
  };
  /** Resolves at the end, or when the connection can no longer be used. */
  const repeat = (connection: Connection) =>
    new Promise<void>((resolve) => {
      const sendNext = () => {
        const exchange = recordedExchange({
          recorder,
          status: job.status,
          dueAtMs: performance.now(),
          streamed,
          ended: (succeeded) => (succeeded && !stopped ? sendNext() : resolve()),
        });
        connection.send(requests.next(), exchange);
      };
      sendNext();
    });
  const running = Array.from({ length: connections }, (_, index) => run(index));
  return {
    stop: async () => {
      stopped = true;
      await Promise.all(running);
    },
  };
}
