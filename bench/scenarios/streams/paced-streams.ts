/** Streams at a model's pace: the cost of a chunk. */
import { chatBody } from '../../load/bodies.ts';
import type { LoadResult } from '../../load/job.ts';
import { alternate } from '../../measure/alternate.ts';
import { percent, withSpread } from '../../report/format.ts';
import type { Section } from '../../report/section.ts';
import type { Stage } from '../../stage/stage.ts';
import { failureNotices } from '../failures.ts';
import { load, medianBy, microsecondsPerChunk, ratios } from '../figures.ts';
import { atMost, limits } from '../targets.ts';

const connections = 100;
/** The starts of the first streams are spread over one second. */
const warmUpMs = 1_500;

export async function pacedStreams(stage: Stage): Promise<Section> {
  const contenders = stage.contenders.filter(({ whyNoStreams }) => whyNoStreams === undefined);
  const mode = { kind: 'closed', connections } as const;
  const series = await alternate(stage, contenders, { body: chatBody('paced-10ms', { stream: true }), mode, warmUpMs });
  const bare = series.find(({ contender }) => contender.name === 'bare Bun');
  const gateway = series.find(({ contender }) => contender.name === 'gateway');
  const rows = series.map((each) => {
    const slower = ratios(each, bare, microsecondsPerChunk);
    return [
      each.contender.name,
      withSpread(each.results.map(chunksPerSecond)),
      withSpread(each.results.map(microsecondsPerChunk)),
      slower === undefined ? '' : withSpread(slower),
      percent(medianBy(each, (result) => load(result, 'contender'))),
      withSpread(each.results.map(({ firstChunk }) => firstChunk.p50 / 1_000)),
      withSpread(each.results.map(({ gap }) => gap.p50 / 1_000)),
      withSpread(each.results.map(({ gap }) => gap.p99 / 1_000)),
    ];
  });
  const bars = series.map((each) => ({ name: each.contender.name, value: medianBy(each, microsecondsPerChunk) }));
  const first = 'first chunk p50 ms';
  return {
    id: 'stream',
    title: 'Paced streams',
    method:
      `${connections} concurrent streams, each of 100 chunks of 270 bytes, one every 10 ms; a stream that ends is ` +
      'followed by the next one. The first chunk leaves the upstream 10 ms after the request. The cost of beginning ' +
      'and ending a stream is included in the CPU time of its chunks.',
    tables: [
      {
        columns: ['', 'chunks/s', 'CPU µs per chunk', 'vs. bare Bun', 'core in use', first, 'gap p50 ms', 'gap p99 ms'],
        rows,
      },
    ],
    notices: [
      ...stage.contenders.flatMap(({ name, whyNoStreams }) =>
        whyNoStreams === undefined ? [] : [`${name}: ${whyNoStreams}`],
      ),
      ...failureNotices(series),
    ],
    targets: atMost({
      figure: 'CPU time of a streamed chunk, relative to bare Bun’s',
      values: gateway && ratios(gateway, bare, microsecondsPerChunk),
      limit: limits.cpuPerChunkOfBare,
    }),
    charts: [{ kind: 'bars', title: 'CPU microseconds per streamed chunk', bars }],
    figures: series,
  };
}

const chunksPerSecond = ({ chunks, seconds }: LoadResult) => chunks / seconds;
