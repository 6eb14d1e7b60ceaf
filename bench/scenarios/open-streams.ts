/** Thousands of slow streams: what a stream costs by being open. */

import { chatBody } from '../load/bodies.ts';
import { measure, type Series, startAll, warmUp } from '../measure/alternate.ts';
import { percent, significant } from '../report/format.ts';
import type { Section, Table } from '../report/section.ts';
import type { Stage } from '../stage.ts';
import { failureNotices } from './failures.ts';
import { load, microsecondsPerChunk } from './figures.ts';

/** Both make as many chunks a second as one core can carry, else queues would be measured, and not streams. */
const sizes = [
  { streams: 1_000, script: 'slow-50ms', chunksPerSecond: 20 },
  { streams: 5_000, script: 'slow-500ms', chunksPerSecond: 2 },
];
const quickSizes = [{ streams: 200, script: 'slow-50ms', chunksPerSecond: 20 }];
const kibibyte = 1_024;

export async function openStreams(stage: Stage): Promise<Section> {
  const measured = [];
  for (const size of stage.quick ? quickSizes : sizes) measured.push({ size, series: await hold(stage, size) });
  return {
    id: 'open',
    title: 'Many open streams',
    method:
      'A contender that has just been started and warmed up; its resident memory before the streams and with all of them ' +
      'open, the difference divided by their number. Gaps between two chunks of a stream, in milliseconds. One round: ' +
      'memory that has been taken once is seldom given back, so there is no second round to compare with.',
    tables: measured.map(({ size, series }) => tableOf(size, series)),
    notices: measured.flatMap(({ series }) => failureNotices(series)),
    figures: measured,
  };
}

async function hold(stage: Stage, { streams, script }: { streams: number; script: string }): Promise<Series[]> {
  const series: Series[] = [];
  for (const contender of stage.contenders.filter(({ whyNoStreams }) => whyNoStreams === undefined)) {
    const [started] = await startAll(stage, [contender]);
    if (started === undefined) continue;
    const { running } = started;
    stage.say(`${streams} open streams: ${contender.name}`);
    try {
      await warmUp(stage, running, { body: chatBody('whole'), mode: { kind: 'closed', connections: 64 }, warmUpMs: 0 });
      const result = await measure(stage, running, {
        body: chatBody(script, { stream: true }),
        mode: { kind: 'hold', streams },
        warmUpMs: 2_000,
        measureMs: stage.seconds * 1_000,
      });
      series.push({ contender, results: [result] });
    } finally {
      await running.stop();
    }
  }
  return series;
}

function tableOf(size: { streams: number; chunksPerSecond: number }, series: readonly Series[]): Table {
  const name = `${size.streams.toLocaleString('en')} streams, ${size.chunksPerSecond} chunks/s each`;
  return {
    columns: [name, 'KiB a stream', 'MiB in all', 'CPU µs a chunk', 'core in use', 'gap p50', 'gap p99'],
    rows: series.flatMap(({ contender, results }) =>
      results.map((result) => {
        const before = result.usageAtStart.contender?.residentBytes ?? 0;
        const during = result.usageAtEnd.contender?.residentBytes ?? 0;
        return [
          contender.name,
          significant((during - before) / kibibyte / size.streams),
          significant(during / kibibyte ** 2),
          significant(microsecondsPerChunk(result)),
          percent(load(result, 'contender')),
          significant(result.gap.p50 / 1_000),
          significant(result.gap.p99 / 1_000),
        ];
      }),
    ),
  };
}
