/**
 * Sends each request when it is due, whether or not the ones before it have been answered. Latency counts from that
 * moment, so a server that stands still for a while pays for every request that would have come in the meantime
 * ("coordinated omission" is what hides them).
 */
import { Connection } from './connection.ts';
import { recordedExchange } from './exchange.ts';
import { poissonSchedule } from './schedule.ts';
import type { Traffic, TrafficOptions } from './traffic.ts';

const firstConnections = 128;
const connectionsMax = 4_096;
const startDelayMs = 50;
/** How long what is under way at the end may take. */
const graceMs = 5_000;

export async function startOpenLoop(options: TrafficOptions, perSecond: number): Promise<Traffic> {
  const { job, requests, recorder } = options;
  const idle = await Promise.all(Array.from({ length: firstConnections }, () => Connection.open(job.port)));
  let open = idle.length;
  let underWay = 0;
  const send = async (dueAtMs: number) => {
    underWay += 1;
    let connection = idle.pop();
    if (connection === undefined && open < connectionsMax) {
      open += 1;
      connection = await Connection.open(job.port).catch(() => undefined);
    }
    if (connection === undefined) {
      underWay -= 1;
      recorder.failed('no connection');
      return;
    }
    const ended = (succeeded: boolean) => {
      underWay -= 1;
      if (succeeded) idle.push(connection);
      else open -= 1;
    };
    connection.send(
      requests.next(),
      recordedExchange({ recorder, status: job.status, dueAtMs, streamed: false, ended }),
    );
  };
  const alarm = wakeWhenDue({ perSecond, durationMs: job.warmUpMs + job.measureMs }, (dueAtMs) => void send(dueAtMs));
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
