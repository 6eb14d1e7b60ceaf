/** The cost of a refusal: a guess must not cost the gateway more than the one who makes it. */
import { generateKey } from '../../shared/keys/api-key.ts';
import { allShards } from '../../shared/wallet/shard.ts';
import { chatBody } from '../load/bodies.ts';
import { measure, type Series, startAll, warmUp } from '../measure/alternate.ts';
import { withSpread } from '../report/format.ts';
import type { Section } from '../report/section.ts';
import type { Stage } from '../stage/stage.ts';
import { failureNotices } from './failures.ts';
import { microsecondsPer, microsecondsPerRequest, requestsPerSecond } from './figures.ts';

const connections = 64;
const load = { body: chatBody('whole'), mode: { kind: 'closed', connections }, warmUpMs: 500 } as const;

export async function refusals(stage: Stage): Promise<Section> {
  const gateway = stage.contenders.filter(({ name }) => name === 'gateway');
  const [started] = await startAll(stage, gateway);
  if (started === undefined) throw new Error('no gateway');
  const { contender, running } = started;
  const unknown = allShards.map((shard) => generateKey('proxy', shard));
  const callers = [
    { name: 'a good key, for comparison', keys: running.keys, status: 200 },
    { name: 'a key that does not exist', keys: unknown, status: 401 },
    { name: 'a key with a wrong checksum', keys: unknown.map(misspell), status: 401 },
  ];
  const series = new Map<string, Series>();
  try {
    for (const { keys, status } of callers) await warmUp(stage, { ...running, keys }, { ...load, status });
    for (let round = 1; round <= stage.rounds; round += 1) {
      for (const { name, keys, status } of callers) {
        const measured = { ...load, status, measureMs: stage.seconds * 1_000 };
        const result = await measure(stage, { ...running, keys }, measured);
        series.set(name, { contender, results: [...(series.get(name)?.results ?? []), result] });
      }
    }
  } finally {
    await running.stop();
  }
  const rows = [...series].map(([name, { results }]) => [
    name,
    withSpread(results.map(requestsPerSecond)),
    withSpread(results.map(microsecondsPerRequest)),
    withSpread(results.map((result) => microsecondsPer(result, 'redis', result.requests))),
  ]);
  return {
    id: 'refusals',
    title: 'Refused keys',
    method: `The gateway alone, ${connections} connections, in a closed loop.`,
    tables: [{ columns: ['', 'requests/s', 'proxy CPU µs', 'Redis CPU µs'], rows }],
    notices: failureNotices([...series.values()]),
    figures: [...series],
  };
}

/** The last character belongs to the checksum. */
function misspell(key: string): string {
  return key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
}
