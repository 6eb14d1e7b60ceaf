/** What stands above the figures: who was measured, where, how, and how to do it again. */
import type { Contender } from '../contenders/contender.ts';
import { renderTable } from './render-markdown.ts';
import type { Table, Target } from './section.ts';

const aboutTargets =
  'The targets were set before anything was measured. Where one is not met, the ladder below shows what each step from bare ' +
  'Bun to the gateway costs on this machine, and the [notes](NOTES.md) what profiles have shown and what was changed.';

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
    '# How fast it is',
    `Measured on ${new Date().toISOString().slice(0, 10)} with \`${command}\`; run it yourself.`,
    ...(chart === undefined ? [] : [`![chart](${chart})`]),
    ...(targets.length === 0 ? [] : [renderTable(targetsTable(targets)), aboutTargets]),
    list(machine),
    ['| | |', '| --- | --- |', ...who].join('\n'),
    'Everything runs on one machine. Contenders are measured in turn, ' +
      `${rounds === 1 ? 'once' : `${rounds} times`}, ${seconds} s each, after a warm-up; tables show the **median** of the ` +
      'rounds and, in brackets, the least and the greatest. Ratios are formed round by round. The load generator and the ' +
      'upstream are raw TCP with rendered bytes; what they use is shown, so that you can see what they leave for others. ' +
      'The gateway has everything on that it has in production: 400 customers with keys and default limits, a Redis with ' +
      'its append-only file, a Postgres with fsync, and an admin that books every charge meanwhile; what a charge costs ' +
      'there is under “Charges into the ledger”.',
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
  return { columns: ['target', 'wanted', 'measured', ''], rows };
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}
