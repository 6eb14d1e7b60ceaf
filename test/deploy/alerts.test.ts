/** Prometheus' rules, and the runbooks that explain their alerts. */
import { describe, expect, test } from 'bun:test';
import { basename, join } from 'node:path';
import { commandTree } from '../../admin/cli/command-tree.ts';
import { metricsOf, queryableNames, root } from './known-metrics.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

const prometheus = join(root, 'deploy/prometheus');
const textOf = (path: string) => Bun.file(join(root, path)).text();
const { groups } = Bun.YAML.parse(await textOf('deploy/prometheus/rules.yaml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const names = rules.map(({ alert }) => alert).sort();
const runbooks = [...new Bun.Glob('*.md').scanSync(join(root, 'docs/runbooks'))].filter((name) => name !== 'README.md');
const runbookTexts = await Promise.all(runbooks.map((name) => textOf(`docs/runbooks/${name}`)));

test('every alert names its runbook, and every runbook has its alert', () => {
  expect(rules.map(({ annotations }) => annotations.runbook).sort()).toEqual(
    names.map((name) => `docs/runbooks/${name}.md`),
  );
  expect(runbooks.map((name) => basename(name, '.md')).sort()).toEqual(names);
});

test('the list of runbooks has every alert with its severity', async () => {
  const rows = (await textOf('docs/runbooks/README.md')).matchAll(/^\| \[(\w+)\]\(\1\.md\) \| (\w+) \|/gm);
  const listed = Object.fromEntries([...rows].map(([, name, severity]) => [name, severity]));
  expect(listed).toEqual(Object.fromEntries(rules.map(({ alert, labels }) => [alert, labels.severity])));
});

test('every runbook says what an alert means for customers and money, what to look at and what to do', () => {
  const parts = [
    /^- \*\*Customers:\*\* /m,
    /^- \*\*Money:\*\* /m,
    /^## What to look at\n\n```sh\n/m,
    /^## What to do\n\n1\. /m,
  ];
  const lacking = runbooks.filter((_, at) => !parts.every((part) => part.test(runbookTexts[at] ?? '')));
  expect(lacking).toEqual([]);
});

test('every metric of every rule and of every command in a runbook is documented', async () => {
  const known = await queryableNames();
  const queries = runbookTexts.flatMap((text) =>
    [...text.matchAll(/^query (?:'([^']*)'|(\S+))$/gm)].map(([, quoted, bare]) => quoted ?? bare ?? ''),
  );
  const expressions = [...rules.map(({ expr }) => expr), ...queries];
  const used = expressions.map((expression) => metricsOf(expression));
  expect(used.filter((metrics) => metrics.length === 0)).toEqual([]);
  expect([...new Set(used.flat())].filter((name) => !known.has(name))).toEqual([]);
});

test('every command of the gateway that a runbook names exists', () => {
  const named = runbookTexts.flatMap((text) => [...text.matchAll(/`?bun run gateway ([a-z]+)(?: ([a-z]+))?/g)]);
  const unknown = named.filter(([, first = '', second]) => {
    const found = commandTree.commands[first];
    if (found === undefined) return true;
    return 'commands' in found && (second === undefined || !(second in found.commands));
  });
  expect(named.length).toBeGreaterThan(30);
  expect(unknown.map(([text]) => text)).toEqual([]);
});

test('every log message and every worker that a runbook searches for is in the source', async () => {
  const paths = [...new Bun.Glob('{proxy,admin,shared}/**/*.ts').scanSync(root)];
  const source = (await Promise.all(paths.map(textOf))).join('\n');
  const searched = runbookTexts.flatMap((text) =>
    [...text.matchAll(/(?:\.(?:msg|worker) == |startswith\()"([^"]+)"/g)].map(([, words = '']) => words),
  );
  expect(searched.length).toBeGreaterThan(9);
  expect(searched.filter((words) => !source.includes(words))).toEqual([]);
});

test('Alertmanager silences only alerts that exist', async () => {
  const text = await textOf('deploy/prometheus/alertmanager.yaml');
  const silenced = [...text.matchAll(/alertname =~? "?([\w|]+)/g)].flatMap(([, listed = '']) => listed.split('|'));
  expect(silenced.length).toBeGreaterThan(5);
  expect(silenced.filter((name) => !names.includes(name))).toEqual([]);
});

const promtool = Bun.which('promtool');
if (promtool === null) console.warn('promtool is not installed (Debian: apt-get install prometheus): rules not run');

describe.skipIf(promtool === null)('promtool', () => {
  const run = (...args: string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([promtool ?? '', ...args], { cwd: prometheus });
    return { exitCode, output: exitCode === 0 ? '' : `${stdout}${stderr}` };
  };

  test('accepts the configuration', () => {
    expect(run('check', 'config', '--syntax-only', 'prometheus.yaml')).toEqual({ exitCode: 0, output: '' });
  });

  test('confirms that every alert fires when it should, and none while all is well', async () => {
    expect(run('test', 'rules', 'rules.test.yaml')).toEqual({ exitCode: 0, output: '' });
    const tested = [...(await textOf('deploy/prometheus/rules.test.yaml')).matchAll(/^ {8}alertname: (\w+)$/gm)];
    expect(tested.map(([, name]) => name).sort()).toEqual(names);
  });
});
