/** Runs one job: warms up, measures, and reads the CPU time of all processes over exactly that interval. */
import { cpuBetween, readUsage } from '../measure/process-usage.ts';
import type { LoadJob, LoadResult } from './job.ts';
import { startClosedLoop } from './modes/closed-loop.ts';
import { startHeldStreams } from './modes/held-streams.ts';
import { startOpenLoop } from './modes/open-loop.ts';
import type { Traffic, TrafficOptions } from './modes/traffic.ts';
import { Recorder } from './recorder.ts';
import { Requests } from './requests.ts';

export async function runJob(job: LoadJob): Promise<LoadResult> {
  const recorder = new Recorder();
  const watched = { ...job.watched, load: [process.pid] };
  const usageAtStart = readUsage(watched);
  const traffic = await start({ job, requests: new Requests(job), recorder });
  await Bun.sleep(job.warmUpMs);
  const before = readUsage(watched);
  const startedAtMs = performance.now();
  recorder.open();
  await Bun.sleep(job.measureMs);
  recorder.close();
  const seconds = (performance.now() - startedAtMs) / 1_000;
  const usageAtEnd = readUsage(watched);
  await traffic.stop();
  const { requests, chunks, failures } = recorder;
  return {
    seconds,
    requests,
    chunks,
    failures,
    latency: recorder.latency.summary(),
    firstChunk: recorder.firstChunk.summary(),
    gap: recorder.gap.summary(),
    cpu: cpuBetween(before, usageAtEnd),
    usageAtStart,
    usageAtEnd,
  };
}

function start(options: TrafficOptions): Promise<Traffic> {
  const { mode } = options.job;
  switch (mode.kind) {
    case 'closed':
      return startClosedLoop(options, mode.connections);
    case 'open':
      return startOpenLoop(options, mode.perSecond);
    case 'hold':
      return startHeldStreams(options, mode.streams);
  }
}
