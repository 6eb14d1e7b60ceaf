/** Opens many endless streams, a few at a time, and keeps them open, to measure the cost of an open stream. */
import { Connection } from '../connection.ts';
import { recordedExchange } from '../exchange.ts';
import type { Traffic, TrafficOptions } from './traffic.ts';

const openingsAtOnce = 50;
const openedPerSecondMax = 1_000;
/** A server that has not accepted all connections by then is measured with those that it has accepted. */
const openingTimeoutMs = 15_000;

/** Resolves when every stream has been requested. */
export async function startHeldStreams(options: TrafficOptions, streams: number): Promise<Traffic> {
  const { job, requests, recorder } = options;
  const connections: Connection[] = [];
  let stopped = false;
  let begun = 0;
  const hold = async () => {
    const connection = await Connection.open(job.port);
    connections.push(connection);
    const ended = (succeeded: boolean) => {
      if (succeeded && !stopped) recorder.failed('an endless stream has ended');
    };
    const dueAtMs = performance.now();
    const exchange = recordedExchange({ recorder, status: job.status, dueAtMs, streamed: true, ended });
    connection.send(requests.next(), exchange);
  };
  const open = async () => {
    while (begun < streams) {
      begun += 1;
      await hold();
      await Bun.sleep((openingsAtOnce / openedPerSecondMax) * 1_000);
    }
  };
  await Promise.race([Promise.all(Array.from({ length: openingsAtOnce }, open)), Bun.sleep(openingTimeoutMs)]);
  for (let missing = connections.length; missing < streams; missing += 1) recorder.failed('not connected in time');
  begun = streams;
  return {
    stop: async () => {
      stopped = true;
      for (const connection of connections) connection.close();
    },
  };
}
