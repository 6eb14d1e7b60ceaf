/** The totals of many runs, and their way from a worker to the process that prints them. */
import { formatUsd, nanoUsd } from '../../shared/money.ts';
import { Counter } from './counter.ts';
import type { RunResult } from './world.ts';

export interface Summary {
  runs: number;
  requests: number;
  readonly faults: Counter;
  /** Runs with violations; each can be repeated by its seed. */
  readonly failed: Pick<RunResult, 'seed' | 'violations'>[];
  lowestNano: bigint;
  lowestAfterLossNano: bigint;
  /** What no wallet could cover, by reason. */
  readonly uncharged: Map<string, bigint>;
}

const violationsShown = 10;

export function emptySummary(): Summary {
  return {
    runs: 0,
    requests: 0,
    faults: new Counter(),
    failed: [],
    lowestNano: 0n,
    lowestAfterLossNano: 0n,
    uncharged: new Map(),
  };
}

export function addRun(summary: Summary, run: RunResult): void {
  addSummary(summary, {
    ...run,
    runs: 1,
    failed: run.violations.length > 0 ? [{ seed: run.seed, violations: run.violations }] : [],
    uncharged: new Map(run.uncharged),
  });
}

export function addSummary(summary: Summary, other: Summary): void {
  summary.runs += other.runs;
  summary.requests += other.requests;
  summary.faults.addAll(other.faults);
  summary.failed.push(...other.failed);
  if (other.lowestNano < summary.lowestNano) summary.lowestNano = other.lowestNano;
  if (other.lowestAfterLossNano < summary.lowestAfterLossNano) summary.lowestAfterLossNano = other.lowestAfterLossNano;
  for (const [reason, nano] of other.uncharged) {
    summary.uncharged.set(reason, (summary.uncharged.get(reason) ?? 0n) + nano);
  }
}

export function printSummary({ faults, uncharged, lowestNano, lowestAfterLossNano, ...rest }: Summary): void {
  const amounts = { lowestNano: String(lowestNano), lowestAfterLossNano: String(lowestAfterLossNano) };
  const pairs = [...uncharged].map(([reason, nano]) => [reason, String(nano)]);
  console.log(JSON.stringify({ ...rest, ...amounts, faults: [...faults.counts], uncharged: pairs }));
}

/** Parses a worker's output. */
export function parseSummary(text: string): Summary {
  const { faults, uncharged, lowestNano, lowestAfterLossNano, ...rest } = JSON.parse(text);
  const summary: Summary = {
    ...rest,
    lowestNano: BigInt(lowestNano),
    lowestAfterLossNano: BigInt(lowestAfterLossNano),
    faults: new Counter(),
    uncharged: new Map(uncharged.map(([reason, nano]: [string, string]) => [reason, BigInt(nano)])),
  };
  for (const [name, times] of faults) summary.faults.count(name, times);
  return summary;
}

export function renderSummary(summary: Summary): string {
  const rows: [string, string][] = [
    ['runs', String(summary.runs)],
    ['requests', String(summary.requests)],
    ...[...summary.faults.counts].sort().map(([name, count]): [string, string] => [`fault: ${name}`, String(count)]),
    ['lowest balance', `$${formatUsd(nanoUsd(summary.lowestNano))}`],
    ['lowest balance after Redis forgot writes', `$${formatUsd(nanoUsd(summary.lowestAfterLossNano))}`],
    ...[...summary.uncharged]
      .sort()
      .map(([reason, nano]): [string, string] => [`uncharged: ${reason}`, `$${formatUsd(nanoUsd(nano))}`]),
    ['violations', String(summary.failed.reduce((sum, run) => sum + run.violations.length, 0))],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, value]) => `${name.padEnd(width)}  ${value.padStart(12)}`);
  for (const run of summary.failed.slice(0, violationsShown)) {
    lines.push(`seed ${run.seed}: ${run.violations.slice(0, 3).join('; ')}`);
  }
  return lines.join('\n');
}
