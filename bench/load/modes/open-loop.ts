/**
 * Sends each request when it is due, whether or not the ones before it have been answered. Latency counts from that
 * time, so a server that stalls pays for every request that would have arrived in the meantime
 * (avoiding "coordinated omission"). The same applies to a request that finds all connections in use.
 *
 * The most recently used connection is used next, so most of them are idle for long. Servers close idle connections
 * (Bun one that was never used, after ten seconds, whatever its `idleTimeout`), which is not a failed request: another
 * connection replaces it, and no request is sent on a closed one.
 */
import { Connection, reconnectPauseMs } from '../connection.ts';
import { recordedExchange } from '../exchange.ts';
import { Queue } from '../queue.ts';
import { poissonSchedule } from './schedule.ts';
import type { Traffic, TrafficOptions } from './traffic.ts';

const connections = 256;
const startDelayMs = 50;
/** Between the last connection and the first request, so many turns of the event loop see what servers have closed by then. */
const turnsBefore = 5;
/** How long requests in flight at the end may take. */
const graceMs = 5_000;

export async function startOpenLoop({ job, requests, recorder }: TrafficOptions, perSecond: number): Promise<Traffic> {
  const idle: Connection[] = [];
  /** The due times of requests without a connection, in order. */
  const waiting = new Queue<number>();
  let underWay = 0;
  let stopped = false;
  const send = (connection: Connection, dueAtMs: number) => {
    underWay += 1;
    const ended = (succeeded: boolean) => {
      underWay -= 1;
      if (succeeded) takeNext(connection);
      else {
        connection.close();
        void replace();
      }
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
  const open = async () => {
    const connection = await Connection.open(job.port, { closedIdle });
    if (stopped) connection.close();
    else takeNext(connection);
  };
  const replace = async () => {
    await Bun.sleep(reconnectPauseMs);
    await open().catch(() => recorder.failed('no connection'));
  };
  const closedIdle = (connection: Connection) => {
    idle.splice(idle.indexOf(connection), 1);
    if (!stopped) void replace();
  };
  // All of them from the start: opening more when the other side is slow would make it slower.
  await Promise.all(Array.from({ length: connections }, open));
  for (let turn = 0; turn < turnsBefore; turn += 1) await Bun.sleep(startDelayMs / turnsBefore);
  const alarm = await wakeWhenDue({ perSecond, durationMs: job.warmUpMs + job.measureMs }, (dueAtMs) => {
    const connection = idle.pop();
    if (connection === undefined) waiting.add(dueAtMs);
    else send(connection, dueAtMs);
  });
  return {
    stop: async () => {
      alarm.stop();
      stopped = true;
      const deadline = performance.now() + graceMs;
      while (underWay > 0 && performance.now() < deadline) await Bun.sleep(10);
      if (underWay > 0) recorder.failed('no answer in time');
      for (const connection of idle) connection.close();
    },
  };
}

async function wakeWhenDue(
  { perSecond, durationMs }: { perSecond: number; durationMs: number },
  send: (dueAtMs: number) => void,
): Promise<{ stop(): void }> {
  const dueMs = poissonSchedule({ perSecond, durationMs, random: Math.random });
  const worker = new Worker(new URL('./alarm-worker.ts', import.meta.url).href);
  await new Promise((resolve) => {
    worker.onmessage = resolve;
  });
  const startMs = performance.now() + startDelayMs;
  let next = 0;
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
