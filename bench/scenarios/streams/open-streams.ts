/** Thousands of slow streams: the cost of an open stream. */
import type { Contender } from '../../contenders/contender.ts';
import { chatBody } from '../../load/bodies.ts';
import type { LoadResult } from '../../load/job.ts';
import { measure, startAll, warmUpStreams } from '../../measure/alternate.ts';
import { readUsage } from '../../measure/process-usage.ts';
import { percent, significant } from '../../report/format.ts';
import type { Section, Table, Target } from '../../report/section.ts';
import type { Stage } from '../../stage/stage.ts';
import { failureNotices } from '../failures.ts';
import { load, microsecondsPerChunk } from '../figures.ts';
import { atMost, limits } from '../targets.ts';

interface Size {
  readonly streams: number;
  readonly script: string;
  readonly chunksPerSecond: number;
  /** Undefined for a short question. */
  readonly promptBytes?: number;
}

interface Held {
  readonly contender: Contender;
  readonly startedBytes: number;
  readonly result: LoadResult;
}

interface Measured {
  readonly size: Size;
  readonly all: readonly Held[];
}

/** 5,000 streams of 20 chunks per second are too much for any core here, including the load generator's. */
const sizes: readonly Size[] = [
  { streams: 1_000, script: 'slow-50ms', chunksPerSecond: 20 },
  { streams: 5_000, script: 'slow-250ms', chunksPerSecond: 4 },
  { streams: 500, script: 'slow-250ms', chunksPerSecond: 4, promptBytes: 100_000 },
];
const quickSizes: readonly Size[] = [{ streams: 200, script: 'slow-50ms', chunksPerSecond: 20 }];
/** By then, memory used only at start-up has been returned. */
const restMs = 1_000;
const settleMs = 2_000;
const measureMs = 5_000;
const kilobyte = 1_000;
const megabyte = 1_000_000;

export async function openStreams(stage: Stage): Promise<Section> {
  const measured: Measured[] = [];
  for (const size of stage.quick ? quickSizes : sizes) measured.push({ size, all: await holdAll(stage, size) });
  return {
    id: 'open',
    title: 'Many open streams',
    method:
      'Resident memory of a contender right after its start, after a warm-up with 15,000 short streams, and with ' +
      'all streams open. The growth since the start, divided by the number of streams, is an upper bound for the ' +
      'memory of a stream: it includes compiled code and the garbage of the warm-up. Gaps between two chunks of a ' +
      'stream are in milliseconds. There is one round, because memory is seldom returned to the system. 5,000 ' +
      'streams have 4 chunks per second each: 20 would be 100,000 per second in total, for which the load generator ' +
      'and the upstream need 1.9 cores but share one, and bare Bun, at 16 to 25 µs per chunk, needs two but has ' +
      'one. With 10, both cores are nearly saturated, and gaps measure how long a chunk waits for a core. A long ' +
      'prompt stays in memory with its stream: Bun keeps the body that it has sent, and the gateway the texts from ' +
      'which it estimates the usage if the provider does not report it.',
    tables: measured.map(({ size, all }) => tableOf(size, all)),
    notices: measured.flatMap(({ all }) =>
      failureNotices(all.map(({ contender, result }) => ({ contender, results: [result] }))),
    ),
    targets: [
      ...measured.flatMap(({ size, all }) => (size.promptBytes === undefined ? targetsOf(size, all) : [])),
      ...marginalTargetOf(measured),
    ],
    charts: measured.map(({ size, all }) => ({
      kind: 'bars',
      title: `KB of memory per stream, ${titleOf(size)}`,
      bars: all.map((held) => ({ name: held.contender.name, value: kilobytesPerStream(size, held) })),
    })),
    figures: measured,
  };
}

async function holdAll(stage: Stage, size: Size): Promise<Held[]> {
  const all: Held[] = [];
  for (const contender of stage.contenders.filter(({ whyNoStreams }) => whyNoStreams === undefined)) {
    const [started] = await startAll(stage, [contender]);
    if (started === undefined) continue;
    const { running } = started;
    stage.say(`${titleOf(size)}: ${contender.name}`);
    try {
      await Bun.sleep(restMs);
      const startedBytes = readUsage({ contender: [running.pid] }).contender?.residentBytes ?? 0;
      await warmUpStreams(stage, running);
      const result = await measure(stage, running, {
        body: chatBody(size.script, { stream: true, promptBytes: size.promptBytes }),
        mode: { kind: 'hold', streams: size.streams },
        warmUpMs: stage.quick ? restMs : settleMs,
        measureMs: stage.quick ? restMs : Math.max(measureMs, stage.seconds * 1_000),
      });
      all.push({ contender, startedBytes, result });
    } finally {
      await running.stop();
    }
  }
  return all;
}

function tableOf(size: Size, all: readonly Held[]): Table {
  const name = `${titleOf(size)}, ${size.chunksPerSecond} chunks/s each`;
  const memory = ['MB started', 'warmed up', 'with all streams', 'KB per stream'];
  return {
    columns: [name, ...memory, 'chunks/s', 'CPU µs per chunk', 'core in use', 'gap p50', 'gap p99'],
    rows: all.map((held) => {
      const { contender, startedBytes, result } = held;
      const [warm, full] = [result.usageAtStart, result.usageAtEnd].map((usage) => usage.contender?.residentBytes ?? 0);
      return [
        contender.name,
        ...[startedBytes, warm ?? 0, full ?? 0].map((bytes) => significant(bytes / megabyte)),
        significant(kilobytesPerStream(size, held)),
        significant(result.chunks / result.seconds),
        significant(microsecondsPerChunk(result)),
        percent(load(result, 'contender')),
        significant(result.gap.p50 / 1_000),
        significant(result.gap.p99 / 1_000),
      ];
    }),
  };
}

function titleOf({ streams, promptBytes }: Size): string {
  const prompts = promptBytes === undefined ? '' : ` with prompts of ${promptBytes / kilobyte} KB`;
  return `${streams.toLocaleString('en')} streams${prompts}`;
}

function kilobytesPerStream({ streams }: Size, { startedBytes, result }: Held): number {
  return ((result.usageAtEnd.contender?.residentBytes ?? 0) - startedBytes) / kilobyte / streams;
}

/** What further streams add to the first thousand, whose growth includes compiled code. Both sizes have as many chunks per second. */
function marginalTargetOf(measured: readonly Measured[]): Target[] {
  const [few, many] = measured
    .filter(({ size }) => size.promptBytes === undefined)
    .map(({ size, all }) => ({
      streams: size.streams,
      residentBytes: all.find(({ contender }) => contender.name === 'gateway')?.result.usageAtEnd.contender
        ?.residentBytes,
    }));
  if (few?.residentBytes === undefined || many?.residentBytes === undefined) return [];
  const kilobytes = (many.residentBytes - few.residentBytes) / kilobyte / (many.streams - few.streams);
  const figure = `each open stream beyond ${few.streams.toLocaleString('en')}: KB`;
  return atMost({ figure, values: [kilobytes], limit: limits.kilobytesPerFurtherStream });
}

function targetsOf(size: Size, all: readonly Held[]): Target[] {
  const [gateway, upstream] = ['gateway', 'upstream'].map((name) =>
    all.find(({ contender }) => contender.name === name),
  );
  if (gateway === undefined || upstream === undefined) return [];
  const { kilobytesPerStream: kilobytes, gapP99OfUpstream } = limits;
  const of = `${size.streams.toLocaleString('en')} open streams`;
  const gaps = [gateway.result.gap.p99 / upstream.result.gap.p99];
  return [
    ...atMost({ figure: `${of}: KB per stream`, values: [kilobytesPerStream(size, gateway)], limit: kilobytes }),
    ...atMost({ figure: `${of}: gap p99, relative to the upstream’s`, values: gaps, limit: gapP99OfUpstream }),
  ];
}
