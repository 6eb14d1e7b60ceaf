/**
 * `bun run rehearse:restore [--loss postgres-restored] [--before 60] [--after 600] [--pause 20]
 * [--admin-first]`: loses stores under load,
 * and prints what is lost. Seconds between the backup and the restored moment, and from then until Postgres fails;
 * milliseconds between two requests of a customer. Exit code 1 if money is wrong.
 */
import { parseArgs } from 'node:util';
import { endChildrenAtExit } from '../../local/processes/child.ts';
import { formatUsd, nanoUsd } from '../../shared/money.ts';
import { renderTable } from '../harness/render-table.ts';
import { losses, type RestoreReport, rehearseRestore } from './rehearse-restore.ts';

endChildrenAtExit();
const { values } = parseArgs({
  options: {
    loss: { type: 'string' },
    before: { type: 'string', default: '60' },
    after: { type: 'string', default: '600' },
    pause: { type: 'string', default: '20' },
    'admin-first': { type: 'boolean', default: false },
  },
});
const chosen = losses.filter((loss) => values.loss === undefined || values.loss === loss);
const [beforeMs, afterMs, pauseMs] = [
  Number(values.before) * 1_000,
  Number(values.after) * 1_000,
  Number(values.pause),
];
if (chosen.length === 0 || !(beforeMs >= 0 && afterMs >= 0 && pauseMs >= 0)) {
  console.error(`--loss is one of ${losses.join(', ')}; the others are numbers`);
  process.exit(2);
}

const startedAtMs = Date.now();
const onStep = (name: string) =>
  console.log(`${((Date.now() - startedAtMs) / 1_000).toFixed(1).padStart(7)} s  ${name}`);
const reports: RestoreReport[] = [];
for (const loss of chosen) {
  onStep(`--- ${loss}`);
  reports.push(await rehearseRestore({ loss, beforeMs, afterMs, pauseMs, adminFirst: values['admin-first'], onStep }));
}
const usd = (nano: bigint) => formatUsd(nanoUsd(nano));
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
console.log(
  renderTable([
    [
      'loss',
      'requests',
      'failed',
      'without answer',
      'without admin',
      'restore',
      'after-restore',
      'receipts lost',
      'charged',
      'owed',
    ],
    ...reports.map((report) => [
      report.loss,
      String(report.requests),
      String(report.failed),
      seconds(report.gapMs),
      seconds(report.adminAwayMs),
      seconds(report.restoreMs),
      seconds(report.afterRestoreMs),
      String(report.receiptsLost),
      usd(report.chargedNano),
      usd(report.owedNano),
    ]),
  ]),
);
for (const { loss, drift, violations, undecided, wrong, changes } of reports) {
  if (changes === undefined) continue;
  console.log(`\n${loss}: before anything was mended, gateway reconcile found a drift of $${usd(drift.d1)} (d1) and`);
  console.log(`$${usd(drift.d4)} (d4), ${undecided} undecided accounts, and:`);
  for (const violation of violations) console.log(`  ${violation}`);
  console.log(
    `What people had done since: ${JSON.stringify(changes, (_, value) => (typeof value === 'bigint' ? usd(value) : value))}`,
  );
  for (const violation of wrong) console.log(`At the end: ${violation}`);
}
// A customer is never charged more than they were given.
process.exitCode = reports.some(({ chargedNano, owedNano }) => chargedNano > owedNano) ? 1 : 0;
