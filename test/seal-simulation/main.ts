/** `bun run simulate:seals [--runs N] [--seed S]`: what happened in them. Exit code 1 if one had a violation. */
import { parseArgs } from 'node:util';
import { endChildrenAtExit } from '../../local/processes/child.ts';
import { startTestPostgres } from '../harness/postgres.ts';
import { simulateSeals } from './simulate.ts';

endChildrenAtExit();
const { values } = parseArgs({
  options: { runs: { type: 'string', default: '100' }, seed: { type: 'string', default: '1' } },
});
const seeds = Array.from({ length: Number(values.runs) }, (_, index) => Number(values.seed) + index);
const postgres = await startTestPostgres();
process.env.TEST_POSTGRES_URL = postgres.url;
const { failed, changes, ...counts } = await simulateSeals({ seeds });
await postgres.stop();
for (const { seed, violations } of failed) console.log(`seed ${seed}:\n  ${violations.join('\n  ')}`);
for (const [what, count] of [...Object.entries(counts), ...changes]) console.log(`${what}: ${count}`);
console.log(`seeds ${seeds[0]} to ${seeds.at(-1)}, ${failed.length} failed`);
process.exit(failed.length === 0 ? 0 : 1);
