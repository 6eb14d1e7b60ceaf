/** The table of a rehearsal of alerts, and the problems in it. */
import { renderTable } from '../../harness/render-table.ts';
import type { AlertsRun } from './rehearse-alerts.ts';

/** All problems; expected to be none. */
export function findBroken({ outcomes, unexpected, failures, withoutData }: AlertsRun): readonly string[] {
  const silent = outcomes.filter(({ firedAfterMs }) => firedAfterMs === undefined);
  const lost = outcomes.filter(({ firedAfterMs, notified }) => firedAfterMs !== undefined && notified === undefined);
  const misled = outcomes.filter(({ severity, notified }) => notified !== undefined && notified.receiver !== severity);
  const stuck = outcomes.filter(({ notified, clearedAfterMs }) => notified && clearedAfterMs === undefined);
  return [
    ...silent.map(({ alert, fault }) => `${alert} did not fire while ${fault}`),
    ...lost.map(({ alert }) => `${alert} fired, but reached no receiver`),
    ...misled.map(({ alert, severity, notified }) => `${alert} is ${severity}, but reached ${notified?.receiver}`),
    ...stuck.map(({ alert }) => `${alert} did not clear`),
    ...unexpected.map(({ alert, during }) => `${alert} fired while ${during}`),
    ...failures.map(({ fault, problem }) => `${fault}: ${problem}`),
    ...withoutData.map((expression) => `a dashboard shows nothing for ${expression}`),
  ];
}

export function renderAlerts(run: AlertsRun, notMade: Readonly<Record<string, string>>): string {
  const broken = findBroken(run);
  const rows = run.outcomes.map(({ alert, fault, notified, firedAfterMs, clearedAfterMs }) => [
    alert,
    fault,
    seconds(firedAfterMs),
    notified?.receiver ?? 'none',
    seconds(notified?.afterMs),
    seconds(clearedAfterMs),
  ]);
  const header = ['alert', 'because', 'fires after', 'receiver', 'told after', 'cleared after'];
  const notified = run.outcomes.filter(({ notified }) => notified !== undefined).length;
  return [
    renderTable([header, ...rows, ['all', '', '', String(notified), '', '']]),
    '',
    ...Object.entries(notMade).map(([alert, reason]) => `${alert} was not made to fire: ${reason}`),
    broken.length === 0 ? 'Every alert fired, reached its receiver and cleared; no other fired.' : 'WRONG:',
    ...broken,
  ].join('\n');
}

function seconds(ms: number | undefined): string {
  return ms === undefined ? 'never' : `${(ms / 1_000).toFixed(1)} s`;
}
