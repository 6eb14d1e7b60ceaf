/**
 * `bun run bench:tracing [--rounds 9] [--seconds 3]`: what traces cost the proxy, as ratios to the same proxy without
 * them, measured in turn. Exit code 1 if a tenth of all requests costs more than 5 % of the CPU time.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../../local/servers/ports.ts';
import type { Contender } from '../contenders/contender.ts';
import { startGatewayOn } from '../contenders/gateway.ts';
import type { GatewayStores } from '../contenders/gateway-stores.ts';
import { untilListening } from '../contenders/server-process.ts';
import { chatBody } from '../load/bodies.ts';
import type { LoadMode } from '../load/job.ts';
import { alternate } from '../measure/alternate.ts';
import { medianOf } from '../measure/statistics.ts';
import { withSpread } from '../report/format.ts';
import { microsecondsPerChunk, microsecondsPerRequest, ratios } from '../scenarios/figures.ts';
import { onStage } from '../stage/on-stage.ts';
import type { Stage } from '../stage/stage.ts';

const ratioMax = 1.05;
/** The share of requests that are traced; only the first is checked. */
const shares = [0.1, 1];

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '9' }, seconds: { type: 'string', default: '3' } },
});
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
if (!(rounds > 0 && seconds > 0)) {
  console.error('bun run bench:tracing [--rounds 9] [--seconds 3]: numbers above 0');
  process.exit(2);
}

const loads = [
  {
    name: 'whole answers, CPU of a request',
    body: chatBody('whole'),
    mode: { kind: 'closed', connections: 64 } satisfies LoadMode,
    figure: microsecondsPerRequest,
  },
  {
    name: 'paced streams, CPU of a chunk',
    body: chatBody('paced-10ms', { stream: true }),
    mode: { kind: 'closed', connections: 100 } satisfies LoadMode,
    figure: microsecondsPerChunk,
  },
];

process.exit(
  await onStage({ rounds, seconds, quick: false, essential: true }, async ({ stage }) => {
    const port = await freePort();
    const collector = Bun.spawn([process.execPath, join(import.meta.dir, 'collector.ts'), String(port)], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    try {
      await untilListening(port);
      return (await isCheap(stage, port)) ? 0 : 1;
    } finally {
      collector.kill();
    }
  }),
);

async function isCheap(stage: Stage, port: number): Promise<boolean> {
  const contenders = [gatewayOf(stage.stores), ...shares.map((share) => gatewayOf(stage.stores, { share, port }))];
  const checks: boolean[] = [];
  for (const { name, body, mode, figure } of loads) {
    const [untraced, ...traced] = await alternate(stage, contenders, { body, mode });
    if (untraced === undefined) throw new Error('the untraced gateway was not measured');
    console.log(`${name}: ${withSpread(untraced.results.map(figure))} µs without traces`);
    for (const [at, series] of traced.entries()) {
      const ratio = ratios(series, untraced, figure) ?? [];
      const isChecked = at === 0;
      console.log(
        `  ${series.contender.name}: ${withSpread(ratio)} times that${isChecked ? `, at most ${ratioMax}` : ''}`,
      );
      if (isChecked) checks.push(medianOf(ratio) <= ratioMax);
    }
  }
  const { spans } = (await (await fetch(`http://127.0.0.1:${port}`)).json()) as { spans: number };
  console.log(`The collector has received ${spans.toLocaleString('en')} spans.`);
  return !checks.includes(false) && spans > 0;
}

function gatewayOf(stores: GatewayStores, traced?: { readonly share: number; readonly port: number }): Contender {
  if (traced === undefined) {
    return { name: 'gateway', description: 'without traces', start: () => startGatewayOn(stores) };
  }
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${traced.port}`,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: String(traced.share),
  };
  const description = `${traced.share * 100} % of the requests traced`;
  return { name: description, description, start: () => startGatewayOn(stores, environment) };
}
