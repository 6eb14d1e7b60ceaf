/** `bun run campaign:documents [--documents N] [--seed S]`: documents issued by processes that are killed. */
import { parseArgs } from 'node:util';
import { endChildrenAtExit } from '../../local/processes/child.ts';
import { SeededRandom } from '../harness/seeded-random.ts';
import { runCampaign } from './campaign.ts';

endChildrenAtExit();
const { values } = parseArgs({
  options: { documents: { type: 'string', default: '10000' }, seed: { type: 'string', default: '1' } },
});
const startedAtMs = Date.now();
const { documents, kills, problems } = await runCampaign(
  Number(values.documents),
  new SeededRandom(Number(values.seed)),
);
for (const problem of problems) console.log(problem);
const seconds = Math.round((Date.now() - startedAtMs) / 1_000);
console.log(`${documents} documents, ${kills} processes killed, ${problems.length} problems; ${seconds} s`);
process.exit(problems.length === 0 ? 0 : 1);
