/**
 * `bun run rehearse:alerts [--factor 60] [--only ProxyDown,WalletDrift]`: makes the fault of every alert in
 * deploy/prometheus/rules.yaml, with a real Prometheus and Alertmanager whose clocks run faster by the factor. Takes about
 * 15 minutes. Exit code 1 if an alert does not fire, does not arrive or does not clear, or if another one fires.
 */
import { parseArgs } from 'node:util';
import { endChildrenAtExit } from '../../../local/processes/child.ts';
import { allFaults, notMade } from './faults/all-faults.ts';
import { whyNoMonitoring } from './monitoring/monitoring.ts';
import { rehearseAlerts } from './rehearse-alerts.ts';
import { findBroken, renderAlerts } from './report.ts';

endChildrenAtExit();
const { values } = parseArgs({
  options: { factor: { type: 'string', default: '60' }, only: { type: 'string' } },
});
const factor = Number(values.factor);
const only = values.only?.split(',');
const faults = allFaults.filter(({ fires }) => only === undefined || fires.some((alert) => only.includes(alert)));
if (!(factor >= 1) || faults.length === 0) {
  console.error(
    'bun run rehearse:alerts [--factor 60] [--only ProxyDown,WalletDrift]: a number from 1, names of alerts',
  );
  process.exit(2);
}
if (whyNoMonitoring !== undefined) {
  console.error(`There is ${whyNoMonitoring}.`);
  process.exit(2);
}

const startedAtMs = Date.now();
const onStep = (text: string) => {
  console.log(`${((Date.now() - startedAtMs) / 1_000).toFixed(1).padStart(6)} s  ${text}`);
};
const rehearsed = await rehearseAlerts({ faults, factor, onStep });
// Some panels show only what a fault causes.
const run = only === undefined ? rehearsed : { ...rehearsed, withoutData: [] };
console.log(`\n${renderAlerts(run, notMade)}`);
process.exit(findBroken(run).length === 0 ? 0 : 1);
