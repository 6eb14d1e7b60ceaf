/**
 * `npm run bench:guard`: a minute of measurement, and exit code 1 if the gateway has become slower, relative to bare
 * Bun, than limits.ts allows.
 */
import { chatBody } from '../load/bodies.ts';
import type { LoadMode, LoadResult } from '../load/job.ts';
import { alternate, type Series } from '../measure/alternate.ts';
import { medianOf } from '../measure/statistics.ts';
import { significant } from '../report/format.ts';
import { microsecondsPerChunk, microsecondsPerRequest, ratios, requestsPerSecond } from '../scenarios/figures.ts';
import { onStage } from '../stage/on-stage.ts';
import type { Stage } from '../stage/stage.ts';
import { limits } from './limits.ts';

const rounds = 5;
const seconds = 2;
const whole: { body: string; mode: LoadMode } = { body: chatBody('whole'), mode: { kind: 'closed', connections: 64 } };
const streamed: typeof whole & { warmUpMs: number } = {
  body: chatBody('paced-10ms', { stream: true }),
  mode: { kind: 'closed', connections: 100 },
  warmUpMs: 1_500,
};

const options = { rounds, seconds, quick: false, essential: true };
process.exit(await onStage(options, async ({ stage }) => ((await isFastEnough(stage)) ? 0 : 1)));

async function isFastEnough(stage: Stage): Promise<boolean> {
  const contenders = stage.contenders.filter(({ name }) => name !== 'upstream');
  const responses = await alternate(stage, contenders, whole);
  const streams = await alternate(stage, contenders, streamed);
  const { cpuPerRequestMax, throughputMin, cpuPerChunkMax } = limits;
  const checks = [
    isWithin('CPU of a request', ratioOf(responses, microsecondsPerRequest), { max: cpuPerRequestMax }),
    isWithin('requests per second', ratioOf(responses, requestsPerSecond), { min: throughputMin }),
    isWithin('CPU of a chunk', ratioOf(streams, microsecondsPerChunk), { max: cpuPerChunkMax }),
  ];
  return !checks.includes(false);
}

function ratioOf(series: readonly Series[], figure: (result: LoadResult) => number): number {
  const [gateway, bare] = ['gateway', 'bare Bun'].map((name) =>
    series.find(({ contender }) => contender.name === name),
  );
  const found = gateway && ratios(gateway, bare, figure);
  if (found === undefined) throw new Error('the guard needs the gateway and bare Bun');
  return medianOf(found);
}

function isWithin(what: string, ratio: number, { min = 0, max = Number.POSITIVE_INFINITY }): boolean {
  const isGood = ratio >= min && ratio <= max;
  const limit = max === Number.POSITIVE_INFINITY ? `at least ${min}` : `at most ${max}`;
  console.log(`${isGood ? '✓' : '✗'} ${what}: ${significant(ratio)} of bare Bun's (${limit})`);
  return isGood;
}
