/** The cost of each step from bare Bun to the gateway, on this machine. */
import { clientStep, readerStep, textStep } from '../contenders/ladder/contenders.ts';
import { chatBody } from '../load/bodies.ts';
import type { LoadResult } from '../load/job.ts';
import { alternate, type Series } from '../measure/alternate.ts';
import { medianOf } from '../measure/statistics.ts';
import { significant, withSpread } from '../report/format.ts';
import type { Section, Table } from '../report/section.ts';
import type { Stage } from '../stage/stage.ts';
import { failureNotices } from './failures.ts';
import { microsecondsPerChunk, microsecondsPerRequest, ratios } from './figures.ts';
import { largePromptBytes, largePromptConnections } from './large-prompts.ts';

const wholeConnections = 64;
const streamConnections = 100;
const streamWarmUpMs = 1_500;

export async function ladder(stage: Stage): Promise<Section> {
  const [bare, gateway] = ['bare Bun', 'gateway'].map((name) => stage.contenders.find((each) => each.name === name));
  if (bare === undefined || gateway === undefined) throw new Error('the ladder needs both bare Bun and the gateway');
  const whole = await alternate(stage, [bare, textStep, clientStep, gateway], {
    body: chatBody('whole'),
    mode: { kind: 'closed', connections: wholeConnections },
  });
  const streamed = await alternate(stage, [bare, readerStep, gateway], {
    body: chatBody('paced-10ms', { stream: true }),
    mode: { kind: 'closed', connections: streamConnections },
    warmUpMs: streamWarmUpMs,
  });
  const large = await alternate(stage, [bare, textStep, clientStep, gateway], {
    body: chatBody('whole', { promptBytes: largePromptBytes }),
    mode: { kind: 'closed', connections: largePromptConnections },
  });
  return {
    id: 'ladder',
    title: 'From bare Bun to the gateway, step by step',
    method:
      'Measured like whole answers, paced streams and large prompts; every step adds one thing to the one above it. The last step ' +
      'before the gateway is the minimum: Bun’s HTTP, and a body that has to be read. The gateway’s own cost is the ' +
      'difference between the last two lines: it checks the key, holds the price in a lease and charges it, chooses a ' +
      'deployment, translates, enforces timeouts, meters, settles, logs and responds in the form that OpenAI publishes. ' +
      'The steps are in ' +
      '[one program](contenders/ladder/main.ts).',
    tables: [
      stepsTable('CPU µs per whole answer', whole, microsecondsPerRequest),
      stepsTable('CPU µs per streamed chunk', streamed, microsecondsPerChunk),
      stepsTable('CPU µs per answer to a large prompt', large, microsecondsPerRequest),
    ],
    notices: failureNotices([...whole, ...streamed, ...large]),
    figures: { whole, streamed, large },
  };
}

function stepsTable(title: string, series: readonly Series[], figure: (result: LoadResult) => number): Table {
  const [bare] = series;
  const rows = series.map((each, index) => {
    const added = differences(each, series[index - 1], figure);
    return [
      `${each.contender.name}: ${each.contender.description}`,
      withSpread(each.results.map(figure)),
      added === undefined ? '' : significant(medianOf(added)),
      withSpread(ratios(each, bare, figure) ?? []),
    ];
  });
  return { columns: [title, 'in all', 'added by this step', 'vs. bare Bun'], rows };
}

/** Computed round by round, like ratios. */
function differences(
  series: Series,
  before: Series | undefined,
  figure: (result: LoadResult) => number,
): number[] | undefined {
  return (
    before &&
    series.results.flatMap((result, round) => {
      const base = before.results[round];
      return base === undefined ? [] : [figure(result) - figure(base)];
    })
  );
}
