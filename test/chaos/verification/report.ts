/** The table at the end of a run: what each fault affected, and where charges and truth differ, and why. */
import { formatUsd, nanoUsd } from '../../../shared/money.ts';
import { renderTable } from '../../harness/render-table.ts';
import type { Incident } from './incident.ts';
import type { CheckedAttempt, Verdict } from './verify.ts';

export interface Run {
  readonly verdict: Verdict;
  readonly incidents: readonly Incident[];
  readonly lowestAvailableNano: bigint;
  /** How programs ended that were not killed by the test. */
  readonly endings: readonly string[];
}

export function renderReport({ verdict, incidents, lowestAvailableNano, endings }: Run): string {
  const faults = [...new Set(['none yet', ...incidents.map(({ fault }) => fault)])];
  const rows = faults.map((fault) => rowOf(fault, verdict, incidents));
  const header = ['fault', 'times', 'requests', 'whole', 'failed', 'charged $', 'truth $', 'difference $', 'worst $'];
  return [
    renderTable([header, ...rows, rowOf(undefined, verdict, incidents)]),
    '',
    'Why less was charged than the provider has written:',
    ...renderCounts(verdict.checked.filter(isCheaper).map((one) => [reasonOf(one), one])),
    '',
    'How requests ended that did not end whole:',
    ...renderCounts(verdict.checked.filter(isBroken).map((one) => [endingOf(one), one])),
    '',
    `lowest available balance ever seen: $${formatUsd(nanoUsd(lowestAvailableNano))}`,
    `programs that ended by themselves and were replaced: ${endings.length}`,
    ...endings.map((ending) => `          ${ending}`),
    verdict.violations.length === 0 ? 'violations: none' : `VIOLATIONS: ${verdict.violations.length}`,
    ...verdict.violations,
  ].join('\n');
}

/** For one fault, or for all if none is given. */
function rowOf(fault: string | undefined, { checked }: Verdict, incidents: readonly Incident[]): string[] {
  const met = checked.filter(({ attempt }) => fault === undefined || attempt.fault === fault);
  const differences = met.map(differenceOf);
  const worstNano = differences.reduce((worst, difference) => (difference > worst ? difference : worst), 0n);
  return [
    fault ?? 'all',
    String(incidents.filter((incident) => fault === undefined || incident.fault === fault).length),
    String(met.length),
    String(met.filter((one) => !isBroken(one)).length),
    String(met.filter(isBroken).length),
    usd(sum(met.map(({ chargedNano }) => chargedNano))),
    usd(sum(met.map(({ truth }) => truth.costNano))),
    usd(sum(differences)),
    usd(worstNano),
  ];
}

function differenceOf({ truth, chargedNano }: CheckedAttempt): bigint {
  return truth.costNano - chargedNano;
}

function isCheaper(one: CheckedAttempt): boolean {
  return differenceOf(one) > 0n;
}

function isBroken({ attempt }: CheckedAttempt): boolean {
  return attempt.view.ending !== 'complete';
}

function reasonOf({ attempt: { view, replica }, unchargedNano }: CheckedAttempt): string {
  if (unchargedNano > 0n) return "the wallet could not cover it: the gateway's loss";
  if (view.ending === 'left') return 'the client left while output was on its way';
  if (view.ending === 'refused') return 'the answer broke before the client had any of it';
  if (replica.killedAtMs !== undefined) return 'its proxy was killed before it could settle';
  if (view.ending === 'complete') return 'ended at what was paid for: the provider wrote more than was asked for';
  return 'the stream broke while output was on its way';
}

function endingOf({ attempt: { view, plan } }: CheckedAttempt): string {
  const planned = plan.provider === 'answers' ? '' : `, its provider ${plan.provider} as planned`;
  if (view.ending === 'left') return 'left by the client, as planned';
  return [view.ending, view.status, view.code].filter((part) => part !== undefined).join(' ') + planned;
}

function renderCounts(named: readonly (readonly [string, CheckedAttempt])[]): string[] {
  const groups = Map.groupBy(named, ([name]) => name);
  return [...groups]
    .sort(([, one], [, other]) => other.length - one.length)
    .map(([name, of]) => {
      const differenceNano = sum(of.map(([, one]) => differenceOf(one)));
      return `${String(of.length).padStart(8)}  ${name} ($${usd(differenceNano)} not charged)`;
    });
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

/** To a millionth, which is enough to see and short enough for a table. */
function usd(amountNano: bigint): string {
  return (Number(amountNano) / 1e9).toFixed(6);
}
