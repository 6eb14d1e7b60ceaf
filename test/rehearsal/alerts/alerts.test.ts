/**
 * Checks that `bun run rehearse:alerts` leaves out no alert; and runs its short form if `ALERTS=rehearse`: it takes
 * minutes, and next to other tests a busy machine makes alerts fire by itself.
 */
import { expect, test } from 'bun:test';
import { allFaults, notMade } from './faults/all-faults.ts';
import { slowMachine } from './faults/fault.ts';
import { whyNoMonitoring } from './monitoring/monitoring.ts';
import { readRules, shortenDuration, shortenRules, shortenWindows } from './monitoring/shorten.ts';
import { rehearseAlerts } from './rehearse-alerts.ts';
import { findBroken } from './report.ts';

const whySkipped = process.env.ALERTS === 'rehearse' ? whyNoMonitoring : 'ALERTS=rehearse runs the short form';
if (whySkipped !== undefined) console.info(`skipped alerts in a real Prometheus: ${whySkipped}.`);

const inShortForm = ['ProxyDown', 'NoHealthyDeployment', 'WalletDrift'];
/** Alerts that a machine busy with other tests causes: scrapes and replies of Redis that are late. */
const busyMachine = [...slowMachine, 'ProxyDown', 'AllProxiesDown', 'AllAdminsDown'];

test.skipIf(whySkipped !== undefined)(
  'an alert fires when its fault is made, reaches its receiver and clears, and no other one fires',
  async () => {
    const faults = allFaults.filter(({ fires }) => fires.some((alert) => inShortForm.includes(alert)));
    const run = await rehearseAlerts({ faults, factor: 30, ignored: busyMachine });
    // No background work fails.
    const withoutData = run.withoutData.filter((expression) => !expression.includes('gateway_worker_failures_total'));
    expect(findBroken({ ...run, withoutData })).toEqual([]);
    expect(run.outcomes.map(({ alert }) => alert)).toEqual(expect.arrayContaining(inShortForm));
  },
);

test('every alert has a fault that makes it fire, or a reason why not', async () => {
  const alerts = (await readRules()).groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  const made = [...allFaults.flatMap(({ fires }) => fires), ...Object.keys(notMade)];
  expect(made.toSorted()).toEqual(alerts.toSorted());
  const consequences = allFaults.flatMap(({ mayFire = [] }) => mayFire);
  expect(consequences.filter((alert) => !alerts.includes(alert))).toEqual([]);
});

test('shortened rules keep their thresholds, and divide every window and `for`', async () => {
  expect(shortenDuration('5m', 60)).toBe('5000ms');
  expect(shortenWindows('rate(a[5m]) > 60 and increase(b{c="[x]"}[1h]) > 1', 60)).toBe(
    'rate(a[5000ms]) > 60 and increase(b{c="[x]"}[60000ms]) > 1',
  );
  const rules = await readRules();
  const shortened = shortenRules(rules, 1);
  const plain = (text: string) => text.replaceAll(/\[\w+\]/g, '[]');
  expect(shortened.groups.map(({ rules: each }) => each.map(({ expr }) => plain(expr)))).toEqual(
    rules.groups.map(({ rules: each }) => each.map(({ expr }) => plain(expr))),
  );
});
