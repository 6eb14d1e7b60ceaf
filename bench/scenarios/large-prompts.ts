/** Prompts of 100 KB: the cost of reading, checking and forwarding a long conversation. */
import { chatBody } from '../load/bodies.ts';
import { alternate } from '../measure/alternate.ts';
import type { Section } from '../report/section.ts';
import type { Stage } from '../stage/stage.ts';
import { microsecondsPerRequest, ratios } from './figures.ts';
import { atMost, limits } from './targets.ts';
import { comparison } from './whole-responses.ts';

export const largePromptConnections = 16;
export const largePromptBytes = 100_000;

export async function largePrompts(stage: Stage): Promise<Section> {
  const mode = { kind: 'closed', connections: largePromptConnections } as const;
  const series = await alternate(stage, stage.contenders, {
    body: chatBody('whole', { promptBytes: largePromptBytes }),
    mode,
  });
  const { tables, notices } = comparison(series);
  const [gateway, bare] = ['gateway', 'bare Bun'].map((name) =>
    series.find(({ contender }) => contender.name === name),
  );
  return {
    id: 'large',
    title: 'Large prompts',
    method: `Whole answers to prompts of ${largePromptBytes.toLocaleString('en')} bytes, ${largePromptConnections} connections.`,
    tables,
    notices,
    targets: atMost({
      figure: `CPU time of a whole answer to a prompt of ${largePromptBytes / 1_000} KB, relative to bare Bun’s`,
      values: gateway && ratios(gateway, bare, microsecondsPerRequest),
      limit: limits.cpuPerLargePromptOfBare,
    }),
    figures: series,
  };
}
