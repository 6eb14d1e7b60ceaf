/** The head of the report: what was measured, where and how, and the command that repeats it. */
import type { Contender } from '../contenders/contender.ts';
import { renderTable } from './render-markdown.ts';
import type { Table, Target } from './section.ts';

const aboutTargets =
  'For targets that are not met, the ladder below shows the cost of each step from bare Bun to the gateway on this ' +
  'machine; the [notes](NOTES.md) describe what profiling has found and changed.';

export interface HeadOptions {
  readonly machine: readonly string[];
  readonly contenders: readonly Contender[];
  readonly notices: readonly string[];
  readonly command: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly chart: string | undefined;
  readonly targets: readonly Target[];
}

export function renderHead({
  machine,
  contenders,
  notices,
  command,
  rounds,
  seconds,
  chart,
  targets,
}: HeadOptions): string[] {
  const who = contenders.map(({ name, description }) => `| ${name} | ${description} |`);
  return [
    '# Benchmark results',
    `Measured on ${new Date().toISOString().slice(0, 10)} with \`${command}\`. Run it yourself to compare.`,
    ...(chart === undefined ? [] : [`![chart](${chart})`]),
    ...(targets.length === 0 ? [] : [renderTable(targetsTable(targets)), aboutTargets]),
    list(machine),
    ['| | |', '| --- | --- |', ...who].join('\n'),
    'Everything runs on one machine. Contenders are measured in turn, ' +
      `${rounds === 1 ? 'once' : `${rounds} times`}, ${seconds} s each, after a warm-up; tables show the **median** of the ` +
      'rounds and, in brackets, the minimum and the maximum. Ratios are computed round by round. The load generator and the ' +
      'upstream send prerendered bytes over raw TCP; their CPU usage is shown, so that you can see how much they leave for ' +
      'others. The gateway runs as in production: 400 customers with keys and default limits, a Redis with its append-only ' +
      'file, a Postgres with fsync, and an admin that books every charge during the measurement; the cost of booking is ' +
      'under “Charges into the ledger”.',
    ...(notices.length === 0 ? [] : [list(notices)]),
  ];
}

function targetsTable(targets: readonly Target[]): Table {
  const rows = targets.map(({ figure, wanted, measured, met }) => [
    figure,
    wanted,
    measured,
    met ? 'met' : '**not met**',
  ]);
  return { columns: ['figure', 'target', 'measured', ''], rows };
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}
