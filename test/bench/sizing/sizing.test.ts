/** What the simulation reports about systems whose behaviour is known, how it reads the report, and docs/sizing.md. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { CostCurve } from '../../../bench/sizing/plan.ts';
import { readFigures, tablesOf } from '../../../bench/sizing/read-results.ts';
import { markers, replaceTables, size } from '../../../bench/sizing/render.ts';
import { type Setup, simulate } from '../../../bench/sizing/simulate.ts';
import { inCampaign } from '../../harness/campaigns.ts';

const root = join(import.meta.dir, '../../..');
const results = await Bun.file(join(root, 'bench/RESULTS.md')).text();
const document = await Bun.file(join(root, 'docs/sizing.md')).text();

const costs = { load: 10, proxy: 100, upstream: 10, redis: 40, admin: 10, postgres: 10 };
const setup: Setup = {
  ...{ seed: 1, costs, proxies: 1, redisServers: 1, admins: 1, shared: [], wakeUs: 5, shareMax: 1, seconds: 3 },
  arrivals: { perSecond: 1_000 },
};

describe('a simulation', () => {
  test('gives the same result for the same seed, and a different one for another seed', () => {
    expect(simulate(setup)).toEqual(simulate(setup));
    expect(simulate({ ...setup, seed: 2 })).not.toEqual(simulate(setup));
  });

  test('serves as many requests as arrive, and its cores are as busy as those requests cost', () => {
    const { perSecond, busy } = simulate(setup);
    expect(Math.abs(perSecond / 1_000 - 1)).toBeLessThan(0.1);
    for (const part of ['proxy', 'redis', 'postgres'] as const) {
      expect(Math.abs(busy[part] / ((perSecond * costs[part]) / 1e6) - 1)).toBeLessThan(0.1);
    }
  });

  test('is limited by its slowest core if clients wait for their responses', () => {
    const { perSecond, busy } = simulate({ ...setup, arrivals: { connections: 64 } });
    // What began before the measurement may end in it.
    expect(perSecond).toBeLessThanOrEqual(1.01 * (1e6 / costs.proxy));
    expect(perSecond).toBeGreaterThan(0.9 * (1e6 / costs.proxy));
    expect(busy.proxy).toBeGreaterThan(0.9);
  });

  test('makes requests wait longer the busier the cores are', () => {
    const p99 = [1_000, 5_000, 9_000].map((perSecond) => simulate({ ...setup, arrivals: { perSecond } }).p99Ms);
    expect(p99).toEqual(p99.toSorted((one, other) => one - other));
  });

  test('draws more charges in a call of Redis the more requests there are', () => {
    const [few, many] = [500, 8_000].map((perSecond) => simulate({ ...setup, arrivals: { perSecond } }).chargesPerDraw);
    expect(many).toBeGreaterThan(2 * (few ?? Number.NaN));
  });
});

test('a cost between two measurements is between their costs, and a rate keeps the core that busy', () => {
  const curve = new CostCurve([
    { busy: 0.8, us: 100 },
    { busy: 0.2, us: 400 },
  ]);
  expect([curve.at(0.1), Math.round(curve.at(0.5)), curve.at(0.9)]).toEqual([400, 250, 100]);
  expect(curve.busyAt(curve.rateAt(0.5))).toBeCloseTo(0.5, 6);
  expect(curve.busyAt(20_000)).toBeCloseTo(2, 6);
});

test('a table of the report is read by the names of its rows and columns', () => {
  const [table] = tablesOf(
    '## Other\n\n| | a |\n| --- | ---: |\n| x | 0 |\n\n## One\n\n| 500 | n | s |\n| - | - | - |\n| x | **1,234** (1–2) | 74 % |\n',
    'One',
  );
  expect(table?.corner).toBe('500');
  expect(table?.rows.get('x')).toEqual(
    new Map([
      ['n', 1_234],
      ['s', 74],
    ]),
  );
});

test('a figure that is missing from the report is named', () => {
  expect(() => readFigures(results.replaceAll('| redis |', '| valkey |'))).toThrow('no figure redis');
});

test.if(inCampaign(false, true))(
  'docs/sizing.md has the tables that bun run simulate:sizing --write makes of the report (campaign)',
  () => {
    const { failures, tables } = size(readFigures(results));
    expect(failures).toEqual([]);
    expect(replaceTables(document, tables)).toBe(document);
  },
);

test('tables replace those between their markers, and nothing else', () => {
  expect(replaceTables(`a ${markers.begin} old ${markers.end} b`, 'new')).toBe(
    `a ${markers.begin}\n\nnew\n\n${markers.end} b`,
  );
});
