/** Streams and whole responses at the same time: whether one kind has to wait for the other. */
import { chatBody } from '../../load/bodies.ts';
import { measure, type Series, startAll, warmUp } from '../../measure/alternate.ts';
import { percent, withSpread } from '../../report/format.ts';
import type { Section } from '../../report/section.ts';
import type { Stage } from '../../stage/stage.ts';
import { failureNotices } from '../failures.ts';
import { load, medianBy } from '../figures.ts';

const connections = 100;
const perSecond = 200;
const roundsMax = 3;
const streamed = { body: chatBody('paced-10ms', { stream: true }), mode: { kind: 'closed', connections } } as const;
const whole = { body: chatBody('whole'), mode: { kind: 'open', perSecond } } as const;

export async function mixed(stage: Stage): Promise<Section> {
  const contenders = stage.contenders.filter(({ whyNoStreams }) => whyNoStreams === undefined);
  const running = await startAll(stage, contenders);
  const streams = new Map<string, Series>();
  const responses = new Map<string, Series>();
  try {
    for (const { running: each } of running) {
      await warmUp(stage, each, { body: whole.body, mode: { kind: 'closed', connections }, warmUpMs: 0 });
      await warmUp(stage, each, { ...streamed, warmUpMs: 0 });
    }
    for (let round = 1; round <= Math.min(stage.rounds, roundsMax); round += 1) {
      for (const { contender, running: each } of running) {
        const times = { warmUpMs: stage.quick ? 1_000 : 2_000, measureMs: stage.seconds * 1_000 };
        const [stream, response] = await Promise.all([
          measure(stage, each, { ...streamed, ...times }),
          measure(stage, each, { ...whole, ...times }),
        ]);
        streams.set(contender.name, { contender, results: [...(streams.get(contender.name)?.results ?? []), stream] });
        responses.set(contender.name, {
          contender,
          results: [...(responses.get(contender.name)?.results ?? []), response],
        });
      }
    }
  } finally {
    await Promise.all(running.map(({ running: each }) => each.stop()));
  }
  const rows = [...responses.values()].map((series) => [
    series.contender.name,
    withSpread(series.results.map(({ latency }) => latency.p50 / 1_000)),
    withSpread(series.results.map(({ latency }) => latency.p99 / 1_000)),
    withSpread((streams.get(series.contender.name)?.results ?? []).map(({ gap }) => gap.p99 / 1_000)),
    percent(medianBy(series, (result) => load(result, 'contender'))),
  ]);
  return {
    id: 'mixed',
    title: 'Streams and whole answers together',
    method: `${connections} paced streams as above and ${perSecond} whole answers per second in an open loop. Milliseconds.`,
    tables: [{ columns: ['', 'whole p50', 'whole p99', 'gap p99 in streams', 'core in use'], rows }],
    notices: failureNotices([...streams.values(), ...responses.values()]),
    figures: { streams: [...streams.values()], responses: [...responses.values()] },
  };
}
