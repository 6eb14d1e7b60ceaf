/** A million requests in a closed loop: whether memory grows with their number. */
import { chatBody } from '../load/bodies.ts';
import { measure, startAll, warmUp } from '../measure/alternate.ts';
import { significant } from '../report/format.ts';
import type { Section } from '../report/section.ts';
import type { Stage } from '../stage/stage.ts';
import { failureNotices } from './failures.ts';
import { growthOf } from './figures.ts';
import { atMost, limits } from './targets.ts';

const requestsWanted = 1_000_000;
const quickRequests = 20_000;
const turnMs = 20_000;
const quickTurnMs = 1_000;
const mebibyte = 1_024 ** 2;
const load = { body: chatBody('whole'), mode: { kind: 'closed', connections: 64 }, warmUpMs: 0 } as const;

/** Memory after a number of requests. */
interface Point {
  readonly requests: number;
  readonly mebibytes: number;
}

export async function millionRequests(stage: Stage): Promise<Section> {
  const [started] = await startAll(
    stage,
    stage.contenders.filter(({ name }) => name === 'gateway'),
  );
  if (started === undefined) throw new Error('no gateway');
  const { contender, running } = started;
  const wanted = stage.quick ? quickRequests : requestsWanted;
  const measureMs = stage.quick ? quickTurnMs : turnMs;
  const points: Point[] = [];
  const results = [];
  try {
    await warmUp(stage, running, load);
    for (let requests = 0; requests < wanted; ) {
      const result = await measure(stage, running, { ...load, measureMs });
      requests += result.requests;
      points.push({ requests, mebibytes: (result.usageAtEnd.contender?.residentBytes ?? 0) / mebibyte });
      results.push(result);
    }
  } finally {
    await running.stop();
  }
  return {
    id: 'million',
    title: 'A million requests',
    method: 'The gateway, 64 connections, whole answers in a closed loop. Resident memory of the proxy.',
    tables: [{ columns: ['requests', 'MiB'], rows: points.map(rowOf) }],
    notices: failureNotices([{ contender, results }]),
    targets: atMost({
      figure: 'memory in the last quarter of a million requests, relative to the second quarter',
      values: growthOf(points.map(({ mebibytes }) => mebibytes)),
      limit: limits.memoryGrowth,
    }),
    figures: points,
  };
}

const rowOf = ({ requests, mebibytes }: Point) => [requests.toLocaleString('en'), significant(mebibytes)];
