/** The table of a rehearsal, and what in it is not as promised. */
import type { CheckedAttempt } from '../chaos/verification/verify.ts';
import { renderTable } from '../harness/render-table.ts';
import type { Rehearsal, Step } from './rehearse.ts';
import type { Look } from './traffic.ts';

/** What happened in a step: what ended in it. */
export interface StepResult {
  readonly step: Step;
  readonly requests: number;
  /** No whole response, and no stream that began. */
  readonly failed: number;
  /** Streams that began and did not end. */
  readonly cut: number;
  /** Until the headers of a response, or the failure. */
  readonly longestWaitMs: number;
  readonly looks: number;
  readonly failedLooks: number;
  readonly chargedNano: bigint;
  /** The cost of what the provider has written. */
  readonly deliveredNano: bigint;
}

export function resultsOf({ steps, looks, verdict }: Rehearsal): readonly StepResult[] {
  return steps.map((step, index) => {
    const untilMs = steps[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY;
    const isIn = ({ endedAtMs }: { readonly endedAtMs: number }) => endedAtMs >= step.fromMs && endedAtMs < untilMs;
    const ofStep = verdict.checked.filter(({ attempt }) => isIn(attempt));
    return resultOf(step, ofStep, looks.filter(isIn));
  });
}

function resultOf(step: Step, ofStep: readonly CheckedAttempt[], looks: readonly Look[]): StepResult {
  const broken = ofStep.filter(({ attempt }) => attempt.view.ending !== 'complete');
  const isCut = ({ attempt: { plan, view } }: CheckedAttempt) => plan.stream && view.status === 200;
  const cut = broken.filter(isCut).length;
  const waits = ofStep.map(({ attempt }) => attempt.view.waitedMs);
  return {
    ...{ step, cut, requests: ofStep.length, failed: broken.length - cut, looks: looks.length },
    longestWaitMs: waits.reduce((longest, wait) => Math.max(longest, wait), 0),
    failedLooks: looks.filter(({ status }) => status !== 200).length,
    chargedNano: sum(ofStep.map(({ chargedNano }) => chargedNano)),
    deliveredNano: sum(ofStep.map(({ truth }) => truth.costNano)),
  };
}

/** Everything that is not as promised; expected to be empty. */
export function findBroken(rehearsal: Rehearsal): readonly string[] {
  const broken = resultsOf(rehearsal)
    .filter(({ step }) => step.isSmooth)
    .filter(({ failed, cut }) => failed + cut > 0)
    .map(({ step, failed, cut }) => `${step.name}: ${failed} requests failed, ${cut} streams were cut`);
  const unserved = resultsOf(rehearsal)
    .filter(({ step, failedLooks }) => step.isSmooth && step.name !== postgresStep && failedLooks > 0)
    .map(({ step, failedLooks }) => `${step.name}: ${failedLooks} calls of /api failed`);
  return [...broken, ...unserved, ...rehearsal.badEndings, ...rehearsal.verdict.violations];
}

/** Without Postgres, /api returns 503; /v1 does not notice. */
export const postgresStep = 'Postgres restarted';

export function renderRehearsal(rehearsal: Rehearsal): string {
  const results = resultsOf(rehearsal);
  const broken = findBroken(rehearsal);
  const total = (of: (result: StepResult) => number) => results.reduce((all, result) => all + of(result), 0);
  const header = ['step', 'requests', 'failed', 'cut', 'longest wait', '/api', 'failed', 'charged $', 'delivered $'];
  const all: StepResult = {
    step: { name: 'all', isSmooth: false, fromMs: 0 },
    requests: total(({ requests }) => requests),
    failed: total(({ failed }) => failed),
    cut: total(({ cut }) => cut),
    longestWaitMs: Math.max(...results.map(({ longestWaitMs }) => longestWaitMs)),
    looks: total(({ looks }) => looks),
    failedLooks: total(({ failedLooks }) => failedLooks),
    chargedNano: sum(results.map(({ chargedNano }) => chargedNano)),
    deliveredNano: sum(results.map(({ deliveredNano }) => deliveredNano)),
  };
  return [
    renderTable([header, ...[...results, all].map(rowOf)]),
    '',
    'How requests ended that did not end whole:',
    ...renderEndings(rehearsal.verdict.checked),
    '',
    broken.length === 0
      ? 'broken promises: none; no wallet differs from the ledger'
      : `BROKEN PROMISES: ${broken.length}`,
    ...broken,
  ].join('\n');
}

function rowOf(result: StepResult): string[] {
  return [
    result.step.name,
    ...[result.requests, result.failed, result.cut].map(String),
    `${Math.round(result.longestWaitMs)} ms`,
    ...[result.looks, result.failedLooks].map(String),
    ...[result.chargedNano, result.deliveredNano].map((nano) => (Number(nano) / 1e9).toFixed(6)),
  ];
}

function renderEndings(checked: readonly CheckedAttempt[]): string[] {
  const broken = checked.filter(({ attempt }) => attempt.view.ending !== 'complete');
  const named = broken.map(({ attempt: { plan, view } }) => {
    const how = [plan.stream ? 'stream' : 'whole', view.ending, view.status, view.code];
    return how.filter((part) => part !== undefined).join(' ');
  });
  const groups = [...Map.groupBy(named, (name) => name)];
  return groups.length === 0 ? ['  none'] : groups.map(([name, of]) => `${String(of.length).padStart(8)}  ${name}`);
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
