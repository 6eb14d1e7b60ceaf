/**
 * `bun run rehearse:migrations [--charges 5000000]`: migrates a ledger of version 0.1.0 under load. Exit code 1 if a migration is
 * missing, or a lock was held for longer than a second.
 */
import { parseArgs } from 'node:util';
import { endChildrenAtExit } from '../../../local/processes/child.ts';
import { migrateUnderLoad } from './migrate-under-load.ts';

const lockMsMax = 1_000;
const calmMs = 5_000;

endChildrenAtExit();
const { values } = parseArgs({ options: { charges: { type: 'string', default: '5000000' } } });
const charges = Number(values.charges);
if (!(charges >= 1)) {
  console.error('bun run rehearse:migrations [--charges 5000000]: a number above 0');
  process.exit(2);
}
const { seconds, postings, longestPostingMs, longestLockMs, missing } = await migrateUnderLoad({ charges, calmMs });
const shown = (ms: number) => Math.round(ms).toLocaleString('en');
console.log(`${charges.toLocaleString('en')} charges, migrated in ${seconds.toFixed(1)} s`);
console.log(`longest lock: ${shown(longestLockMs)} ms`);
console.log(
  `longest of ${postings} postings: ${shown(longestPostingMs.alone)} ms alone, ${shown(longestPostingMs.beside)} ms beside the migration`,
);
if (missing.length > 0) console.log(`missing: ${missing.join(', ')}`);
process.exit(missing.length === 0 && longestLockMs <= lockMsMax ? 0 : 1);
