/** Streams and whole responses for ten minutes: whether the proxy's memory stabilizes. */
import { chatBody } from '../../load/bodies.ts';
import { measure, startAll } from '../../measure/alternate.ts';
import { readUsage } from '../../measure/process-usage.ts';
import { significant } from '../../report/format.ts';
import type { Section } from '../../report/section.ts';
import type { Stage } from '../../stage/stage.ts';
import { failureNotices } from '../failures.ts';
import { growthOf } from '../figures.ts';
import { atMost, limits } from '../targets.ts';

const minutes = 10;
const quickMinutes = 0.5;
const everyMs = 2_000;
const connections = 100;
const perSecond = 200;
const mebibyte = 1_024 ** 2;

export async function soak(stage: Stage): Promise<Section> {
  const lasts = (stage.quick ? quickMinutes : minutes) * 60_000;
  const [started] = await startAll(
    stage,
    stage.contenders.filter(({ name }) => name === 'gateway'),
  );
  if (started === undefined) throw new Error('no gateway');
  const { contender, running } = started;
  const points: [seconds: number, mebibytes: number][] = [];
  const startedAtMs = performance.now();
  const sampling = setInterval(() => {
    const resident = readUsage({ proxy: [running.pid] }).proxy?.residentBytes ?? 0;
    points.push([(performance.now() - startedAtMs) / 1_000, resident / mebibyte]);
  }, everyMs);
  try {
    const times = { warmUpMs: 1_000, measureMs: lasts };
    const streamed = { body: chatBody('paced-10ms', { stream: true }), mode: { kind: 'closed', connections } } as const;
    const whole = { body: chatBody('whole'), mode: { kind: 'open', perSecond } } as const;
    const results = await Promise.all([
      measure(stage, running, { ...streamed, ...times }),
      measure(stage, running, { ...whole, ...times }),
    ]);
    return {
      id: 'soak',
      title: 'Soak',
      method: `The gateway with ${connections} paced streams and ${perSecond} whole answers per second, for ${lasts / 60_000} minutes.`,
      tables: [{ columns: ['resident MiB of the proxy', 'after'], rows: quarters(points) }],
      notices: failureNotices([{ contender, results }]),
      targets: atMost({
        figure: `memory in the last quarter of ${lasts / 60_000} minutes, relative to the second quarter`,
        values: growthOf(points.map(([, mebibytes]) => mebibytes)),
        limit: limits.memoryGrowth,
      }),
      charts: [{ kind: 'line', title: 'Resident memory of the proxy, MiB over seconds', points }],
      figures: points,
    };
  } finally {
    clearInterval(sampling);
    await running.stop();
  }
}

function quarters(points: readonly (readonly [number, number])[]): string[][] {
  return [0.25, 0.5, 0.75, 1].flatMap((share) => {
    const point = points[Math.ceil(share * points.length) - 1];
    return point === undefined ? [] : [[significant(point[1]), `${Math.round(point[0])} s`]];
  });
}
