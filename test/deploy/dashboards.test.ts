/** Grafana's dashboards, which are written by deploy/grafana/build.ts. */
import { expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dashboardFiles } from '../../deploy/grafana/dashboards.ts';
import { metricsOf, queryableNames, root } from './known-metrics.ts';
import { expressionsOf, panelsOf } from './panels.ts';

const files = dashboardFiles();
const promtool = Bun.which('promtool');
test.each(Object.entries(files))(
  'the dashboard %s in the repository is what bun run grafana:build writes',
  async (name, text) => {
    expect(await Bun.file(join(root, 'deploy/grafana', name)).text()).toBe(text);
  },
);

test.each(Object.entries(files))('every metric that %s queries exists', async (_, text) => {
  const known = await queryableNames();
  const expressions = expressionsOf(text);
  expect(expressions.length).toBeGreaterThan(5);
  const used = expressions.map((expression) => metricsOf(expression));
  expect(used.filter((metrics) => metrics.length === 0)).toEqual([]);
  expect([...new Set(used.flat())].filter((name) => !known.has(name))).toEqual([]);
});

test.each(Object.entries(files))('every panel of %s is explained, and overlaps no other', (_, text) => {
  const panels = panelsOf(text);
  expect(panels.filter(({ title, description }) => !title || !description)).toEqual([]);
  const places = panels.map(({ gridPos }) => JSON.stringify([gridPos?.x, gridPos?.y]));
  expect(new Set(places).size).toBe(panels.length);
});

test.skipIf(promtool === null)('Prometheus parses every query of the dashboards', async () => {
  const rules = Object.values(files).flatMap((text) => expressionsOf(text).map((expr) => ({ record: 'query', expr })));
  const groups = rules.map((rule, at) => ({ name: `group ${at}`, rules: [rule] }));
  const directory = await mkdtemp(join(tmpdir(), 'gateway-test-'));
  try {
    const path = join(directory, 'queries.yaml');
    await Bun.write(path, JSON.stringify({ groups }));
    const { exitCode, stderr } = Bun.spawnSync([promtool ?? '', 'check', 'rules', '--lint=none', path]);
    expect({ exitCode, output: String(stderr) }).toEqual({ exitCode: 0, output: '' });
  } finally {
    await rm(directory, { recursive: true });
  }
});
