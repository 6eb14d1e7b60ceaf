/** Small whole responses in a closed loop, with all programs on all cores: what one machine serves with everything on it. */
import { chatBody } from '../load/bodies.ts';
import { alternate, type Series } from '../measure/alternate.ts';
import { percent } from '../report/format.ts';
import type { Section, Target } from '../report/section.ts';
import type { Stage } from '../stage/stage.ts';
import { load, medianBy, othersLoad, ratios, requestsPerSecond } from './figures.ts';
import { atLeast, limits } from './targets.ts';
import { comparison, connections, named } from './whole-responses.ts';

export async function unpinned(stage: Stage): Promise<Section> {
  const mode = { kind: 'closed', connections } as const;
  const contenders = stage.contenders.filter(({ name }) => name !== 'upstream');
  const series = await alternate(stage, contenders, { body: chatBody('whole'), mode, isPinned: false });
  return {
    id: 'unpinned',
    title: 'Whole answers, all cores shared',
    method:
      `The same ${connections} connections, but nothing is pinned: the contender, the load generator, the upstream, ` +
      'Redis, admin and Postgres share all cores, as on a machine that has everything on it. Here the cost of a request in ' +
      'all programs together decides how many are served.',
    ...comparison(series, 'of everything else'),
    targets: targetsOf(series),
    figures: series,
  };
}

function targetsOf(series: readonly Series[]): Target[] {
  const gateway = named(series, 'gateway');
  if (gateway === undefined) return [];
  const own = percent(medianBy(gateway, (result) => load(result, 'contender')));
  const remark = `the gateway uses ${own} of a core, everything else ${percent(medianBy(gateway, othersLoad))}`;
  const relativeTo = (name: string) => ratios(gateway, named(series, name), requestsPerSecond);
  return [
    ...atLeast({
      figure: 'whole answers per second on shared cores, relative to bare Bun’s',
      values: relativeTo('bare Bun'),
      limit: limits.throughputOfBare,
      remark,
    }),
    ...atLeast({
      figure: 'whole answers per second on shared cores, relative to Portkey’s',
      values: relativeTo('Portkey'),
      limit: limits.throughputOfPortkey,
      remark,
    }),
  ];
}
