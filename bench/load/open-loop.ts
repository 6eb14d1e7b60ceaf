/**
 * Sends each request when it is due, whether or not the ones before it have been answered. Latency counts from that
 * moment, so a server that stands still for a while pays for every request that would have come in the meantime
 * ("coordinated omission" is what hides them). So does a request that finds all connections in use.
 */
import { Connection } from './connection.ts';
import { recordedExchange } from './exchange.ts';
import { Queue } from './queue.ts';
import { poissonSchedule } from './schedule.ts';
import type { Traffic, TrafficOptions } from './traffic.ts';

const connections = 256;
const startDelayMs = 50;
/** How long what is under way at the end may take. */
const graceMs = 5_000;

export async function startOpenLoop({ job, requests, recorder }: TrafficOptions, perSecond: number): Promise<Traffic> {
  // All of them from the start: whoever opens more when the other side is slow makes it slower.
  const idle = await Promise.all(Array.from({ length: connections }, () => Connection.open(job.port)));
  /** When each request was due that has no connection yet, in their order. */
  const waiting = new Queue<number>();
  let underWay = 0;
  const send = (connection: Connection, dueAtMs: number) => {
    underWay += 1;
    const ended = (succeeded: boolean) => {
      underWay -= 1;
      if (succeeded) takeNext(connection);
      else void replace(connection);
    };
    connection.send(
      requests.next(),
      recordedExchange({ recorder, status: job.status, dueAtMs, streamed: false, ended }),
    );
  };
  const takeNext = (connection: Connection) => {
    const dueAtMs = waiting.take();
    if (dueAtMs === undefined) idle.push(connection);
    else send(connection, dueAtMs);
  };
  const replace = async (connection: Connection) => {
    connection.close();
    const another = await Connection.open(job.port).catch(() => undefined);
    if (another === undefined) recorder.failed('no connection');
    else takeNext(another);
  };
  const alarm = wakeWhenDue({ perSecond, durationMs: job.warmUpMs + job.measureMs }, (dueAtMs) => {
    const connection = idle.pop();
    if (connection === undefined) waiting.add(dueAtMs);
    else send(connection, dueAtMs);
  });
  return {
    stop: async () => {
      alarm.stop();
      const deadline = performance.now() + graceMs;
      while (underWay > 0 && performance.now() < deadline) await Bun.sleep(10);
      if (underWay > 0) recorder.failed('no answer in time');
      for (const connection of idle) connection.close();
    },
  };
}

function wakeWhenDue(
  { perSecond, durationMs }: { perSecond: number; durationMs: number },
  send: (dueAtMs: number) => void,
): { stop(): void } {
  const dueMs = poissonSchedule({ perSecond, durationMs, random: Math.random });
  const startMs = performance.now() + startDelayMs;
  let next = 0;
  const worker = new Worker(new URL('./alarm-worker.ts', import.meta.url).href);
  worker.onmessage = () => {
    const now = performance.now() - startMs;
    for (let due = dueMs[next]; due !== undefined && due <= now; due = dueMs[next]) {
      next += 1;
      send(startMs + due);
    }
  };
  worker.postMessage({ dueMs, startAtMs: performance.timeOrigin + startMs });
  return { stop: () => worker.terminate() };
}
