/** The latency that a contender adds to the upstream's, at half of its maximum load. */

import { chatBody } from '../load/bodies.ts';
import type { LoadResult } from '../load/job.ts';
import { measure, type Series, startAll, warmUp } from '../measure/alternate.ts';
import { withSpread } from '../report/format.ts';
import type { Section } from '../report/section.ts';
import type { Stage } from '../stage/stage.ts';
import { failureNotices } from './failures.ts';
import { ratios, requestsPerSecond } from './figures.ts';
import { atMost, limits } from './targets.ts';

const connections = 64;
const body = chatBody('whole');
const probeMs = 2_000;
const quickProbeMs = 500;
const share = 0.5;
/** Above this rate, the load generator's own latency would be measured. */
const perSecondMax = 8_000;
const percentiles = ['p50', 'p90', 'p99'] as const;
type Percentile = (typeof percentiles)[number];

interface Pair {
  readonly alone: LoadResult;
  readonly through: LoadResult;
}

export async function addedLatency(stage: Stage): Promise<Section> {
  const [upstream, ...others] = await startAll(stage, stage.contenders);
  if (upstream === undefined) throw new Error('no upstream');
  const probe = { body, mode: { kind: 'closed', connections }, warmUpMs: 500 } as const;
  const measureMs = stage.quick ? quickProbeMs : probeMs;
  const subjects: { name: string; rate: number; series: Series; pairs: Pair[] }[] = [];
  try {
    for (const { contender, running } of others) {
      await warmUp(stage, running, probe);
      const half = Math.round(requestsPerSecond(await measure(stage, running, { ...probe, measureMs })) * share);
      const rate = Math.min(Math.max(1, half), perSecondMax);
      const load = { body, mode: { kind: 'open', perSecond: rate }, warmUpMs: 500 } as const;
      const pairs: Pair[] = [];
      for (let round = 1; round <= stage.rounds; round += 1) {
        const timed = { ...load, measureMs: stage.seconds * 1_000 };
        const alone = await measure(stage, upstream.running, timed);
        pairs.push({ alone, through: await measure(stage, running, timed) });
      }
      const series = { contender, results: pairs.map(({ through }) => through) };
      subjects.push({ name: contender.name, rate, series, pairs });
    }
  } finally {
    await Promise.all([upstream, ...others].map(({ running }) => running.stop()));
  }
  const rows = subjects.map(({ name, rate, pairs }) => [
    name,
    written(rate),
    ...percentiles.map((percentile) => withSpread(pairs.map((pair) => added(pair, percentile)))),
    withSpread(pairs.map(({ alone }) => alone.latency.p50 / 1_000)),
  ]);
  const [gateway, portkey] = ['gateway', 'Portkey'].map((name) => subjects.find((each) => each.name === name));
  const ofGateway = (percentile: Percentile) => gateway?.pairs.map((pair) => added(pair, percentile));
  const p99 = ({ latency }: LoadResult) => latency.p99;
  return {
    id: 'latency',
    title: 'Added latency',
    method:
      `Open loop: requests arrive at random times (Poisson) at ${share * 100} % of the contender’s throughput in a ` +
      `closed loop just before, at most ${written(perSecondMax)} per second. Latency counts from the time at which ` +
      'a request was due, not from when it could be sent. The upstream alone is measured at the same rate right ' +
      'before each round, and its percentile is subtracted. Milliseconds.',
    tables: [{ columns: ['', 'requests/s', 'added p50', 'added p90', 'added p99', 'upstream alone p50'], rows }],
    notices: failureNotices(subjects.map(({ series }) => series)),
    targets: [
      ...atMost({ figure: 'added latency at half load, p50, ms', values: ofGateway('p50'), limit: limits.addedP50Ms }),
      ...atMost({ figure: 'added latency at half load, p99, ms', values: ofGateway('p99'), limit: limits.addedP99Ms }),
      ...atMost({
        figure: 'p99 at half load of each, relative to Portkey’s',
        values: gateway && ratios(gateway.series, portkey?.series, p99),
        limit: limits.p99OfPortkey,
        remark: gateway && portkey && `at ${written(gateway.rate)} and ${written(portkey.rate)} requests per second`,
      }),
    ],
    figures: subjects,
  };
}

function added({ alone, through }: Pair, percentile: Percentile): number {
  return (through.latency[percentile] - alone.latency[percentile]) / 1_000;
}

const written = (rate: number) => rate.toLocaleString('en');
