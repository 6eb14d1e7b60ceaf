/**
 * Measures all contenders in turn, repeatedly (A B C, A B C, …), so that other activity on the machine affects all of
 * them alike; ratios within one run are more reliable than absolute figures.
 */
import type { Contender, RunningContender } from '../contenders/contender.ts';
import { chatBody, isStreamed } from '../load/bodies.ts';
import type { LoadJob, LoadMode, LoadResult } from '../load/job.ts';
import type { Stage } from '../stage/stage.ts';
import { allCores, otherCores, pin } from './pin.ts';

export interface Load {
  readonly body: string;
  readonly mode: LoadMode;
  readonly status?: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
}

export interface Series {
  readonly contender: Contender;
  /** One per round. */
  readonly results: readonly LoadResult[];
}

const roundWarmUpMs = 500;
/** JavaScriptCore's last compiler tier starts late: ten thousand requests are not enough. The time is bounded. */
const warmUpRequests = 15_000;
const warmUpTurnsMax = 8;
const warmUpTurnMs = 2_000;
const quickWarmUpMs = 500;
/** Streams that begin and end a hundred times as often as paced ones, to warm up the code that runs once per stream. */
const warmUpStream = { body: chatBody('short-stream', { stream: true }), connections: 64 };

export async function alternate(
  stage: Stage,
  contenders: readonly Contender[],
  { isPinned = true, ...load }: Pick<Load, 'body' | 'mode'> & { warmUpMs?: number; isPinned?: boolean },
): Promise<Series[]> {
  const running = await startAll(stage, contenders);
  const warmUpMs = load.warmUpMs ?? roundWarmUpMs;
  try {
    if (!isPinned) pin(process.pid, allCores);
    for (const { running: each } of running) await warmUp(stage, each, { ...load, warmUpMs });
    const results = new Map<Contender, LoadResult[]>();
    for (let round = 1; round <= stage.rounds; round += 1) {
      for (const { contender, running: each } of running) {
        const result = await measure(stage, each, { ...load, warmUpMs, measureMs: stage.seconds * 1_000 });
        results.set(contender, [...(results.get(contender) ?? []), result]);
      }
    }
    return contenders.map((contender) => ({ contender, results: results.get(contender) ?? [] }));
  } finally {
    if (!isPinned) pin(process.pid, otherCores);
    await Promise.all(running.map(({ running: each }) => each.stop()));
  }
}

export async function startAll(
  { upstreamPort }: Stage,
  contenders: readonly Contender[],
): Promise<{ contender: Contender; running: RunningContender }[]> {
  const started: { contender: Contender; running: RunningContender }[] = [];
  try {
    for (const contender of contenders) started.push({ contender, running: await contender.start(upstreamPort) });
    return started;
  } catch (error) {
    await Promise.all(started.map(({ running }) => running.stop()));
    throw error;
  }
}

/** Runs until the code is fully compiled. For streams, short streams first, then a round of normal ones. */
export async function warmUp(stage: Stage, running: RunningContender, load: Omit<Load, 'measureMs'>): Promise<void> {
  const turnMs = stage.quick ? quickWarmUpMs : warmUpTurnMs;
  if (!isStreamed(load.body)) return warmUpOn(stage, running, { ...load, measureMs: turnMs });
  await warmUpStreams(stage, running);
  if (!stage.quick) await measure(stage, running, { ...load, measureMs: turnMs });
}

export function warmUpStreams(stage: Stage, running: RunningContender): Promise<void> {
  const { body, connections } = warmUpStream;
  const measureMs = stage.quick ? quickWarmUpMs : warmUpTurnMs;
  return warmUpOn(stage, running, { body, mode: { kind: 'closed', connections }, warmUpMs: 0, measureMs });
}

async function warmUpOn(stage: Stage, running: RunningContender, load: Load): Promise<void> {
  const turns = stage.quick ? 1 : warmUpTurnsMax;
  for (let turn = 1, completed = 0; turn <= turns && completed < warmUpRequests; turn += 1) {
    completed += (await measure(stage, running, load)).requests;
  }
}

/** One measurement; resolves when the work it leaves behind is done. */
export async function measure(stage: Stage, running: RunningContender, load: Load): Promise<LoadResult> {
  const result = await stage.load.run(jobOf(stage, running, load));
  await running.settled();
  return result;
}

function jobOf(stage: Stage, running: RunningContender, { status = 200, ...load }: Load): LoadJob {
  const { port, keys, headers, helpers } = running;
  const watched = { ...helpers, contender: [running.pid], upstream: [stage.upstreamPid] };
  return { ...load, status, port, keys, headers, watched };
}
