/** The latency that a contender adds to the upstream's, at the same rate for all that can sustain it. */
import type { Contender, RunningContender } from '../contenders/contender.ts';
import { chatBody } from '../load/bodies.ts';
import type { LoadResult } from '../load/job.ts';
import { measure, startAll } from '../measure/alternate.ts';
import { withSpread } from '../report/format.ts';
import type { Section } from '../report/section.ts';
import type { Stage } from '../stage/stage.ts';
import { failureNotices } from './failures.ts';
import { measureCapacities } from './measure-capacities.ts';
import { bearableRates, upperRate } from './rates.ts';
import { atMost, limits } from './targets.ts';

const body = chatBody('whole');
const warmUpMs = 500;
const percentiles = ['p50', 'p90', 'p99'] as const;
type Percentile = (typeof percentiles)[number];

interface Pair {
  readonly alone: LoadResult;
  readonly through: LoadResult;
}

interface Subject {
  readonly contender: Contender;
  readonly running: RunningContender;
  readonly pairs: Pair[];
}

export async function addedLatency(stage: Stage): Promise<Section> {
  const [upstream, ...others] = await startAll(stage, stage.contenders);
  if (upstream === undefined) throw new Error('no upstream');
  const subjects: Subject[] = others.map((each) => ({ ...each, pairs: [] }));
  let rate = upperRate;
  const leftOut: string[] = [];
  try {
    const capacities = await measureCapacities(stage, others);
    const highest = bearableRates(capacities).at(-1);
    rate = highest?.rate ?? rate;
    leftOut.push(...capacities.map(({ name }) => name).filter((name) => highest?.names.includes(name) === false));
    const taking = subjects.filter(({ contender }) => !leftOut.includes(contender.name));
    const load = { body, mode: { kind: 'open', perSecond: rate }, warmUpMs, measureMs: stage.seconds * 1_000 } as const;
    for (let round = 1; round <= stage.rounds; round += 1) {
      for (const { running, pairs } of taking) {
        const alone = await measure(stage, upstream.running, load);
        pairs.push({ alone, through: await measure(stage, running, load) });
      }
    }
  } finally {
    await Promise.all([upstream, ...others].map(({ running }) => running.stop()));
  }
  const measured = subjects.filter(({ pairs }) => pairs.length > 0);
  const rows = measured.map(({ contender, pairs }) => [
    contender.name,
    ...percentiles.map((percentile) => withSpread(pairs.map((pair) => added(pair, percentile)))),
    ...(['p50', 'p99'] as const).map((percentile) =>
      withSpread(pairs.map(({ alone }) => alone.latency[percentile] / 1_000)),
    ),
  ]);
  const gateway = measured.find(({ contender }) => contender.name === 'gateway');
  const ofGateway = (percentile: Percentile) => gateway?.pairs.map((pair) => added(pair, percentile));
  const at = `added latency at ${written(rate)}/s`;
  return {
    id: 'latency',
    title: 'Added latency',
    method:
      `Open loop: ${written(rate)} requests per second arrive at random times (Poisson). Latency counts from the time ` +
      'at which a request was due, not from when it could be sent. The upstream alone is measured at the same rate ' +
      'right before each measurement, and its percentile is subtracted. Milliseconds.',
    tables: [
      { columns: ['', 'added p50', 'added p90', 'added p99', 'upstream alone p50', 'upstream alone p99'], rows },
    ],
    notices: [
      ...leftOut.map((name) => `${name} is left out: it cannot sustain ${written(rate)} requests per second.`),
      ...failureNotices(
        measured.map(({ contender, pairs }) => ({ contender, results: pairs.map(({ through }) => through) })),
      ),
    ],
    targets: [
      ...atMost({ figure: `${at}, p50, ms`, values: ofGateway('p50'), limit: limits.addedP50Ms }),
      ...atMost({ figure: `${at}, p99, ms`, values: ofGateway('p99'), limit: limits.addedP99Ms }),
    ],
    figures: measured.map(({ contender, pairs }) => ({ name: contender.name, rate, pairs })),
  };
}

function added({ alone, through }: Pair, percentile: Percentile): number {
  return (through.latency[percentile] - alone.latency[percentile]) / 1_000;
}

const written = (rate: number) => rate.toLocaleString('en');
