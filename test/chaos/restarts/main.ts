/**
 * `bun run chaos:postgres [--restarts 100] [--seed S]`: Postgres restarts under load. Exit code 1 if an admin exited,
 * or any response or booking was wrong.
 */
import { parseArgs } from 'node:util';
import { endChildrenAtExit } from '../../../local/processes/child.ts';
import { restartPostgres } from './restart-postgres.ts';

endChildrenAtExit();
const { values } = parseArgs({
  options: {
    restarts: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [restarts, seed] = [Number(values.restarts), Number(values.seed)];
if (!restarts || !seed) {
  console.error('bun run chaos:postgres [--restarts 100] [--seed 1]: numbers above 0');
  process.exit(2);
}

console.log(`${restarts} restarts of Postgres under load, seed ${seed}`);
const startedAtMs = Date.now();
const report = await restartPostgres({
  restarts,
  seed,
  agesHolds: false,
  onRestart: (restart) => console.log(`${Math.round((Date.now() - startedAtMs) / 1_000)} s: restart ${restart}`),
});
const { before, after } = report.adminPids;
console.log(`
restarts: ${report.restarts}, open transactions met: ${report.openTransactions}
process ids of the admins: ${before.join(', ')} before, ${after.join(', ')} after
requests of /v1: ${report.inferenceRequests}
calls of /api: ${report.calls}, of them ${report.payments} payments booked
${[...report.responses].map(([response, count]) => `  ${response}: ${count}`).join('\n')}
violations: ${report.violations.length}
${report.violations.join('\n')}`);
process.exit(report.violations.length === 0 && String(before) === String(after) ? 0 : 1);
