/** `bun run simulate --runs N --seed S [--mutant NAME]`: many runs, and a table of what happened in them. */
import { parseArgs } from 'node:util';
import { type Mutant, mutants } from './mutants.ts';
import { renderSummary, simulate } from './simulate.ts';

const { values } = parseArgs({
  options: { runs: { type: 'string' }, seed: { type: 'string' }, mutant: { type: 'string' } },
});
const mutant = mutants.find((name) => name === values.mutant) as Mutant | undefined;
if (values.mutant !== undefined && mutant === undefined) {
  console.error(`mutants: ${mutants.join(', ')}`);
  process.exit(2);
}
const summary = await simulate({
  runs: Number(values.runs ?? 1_000),
  firstSeed: Number(values.seed ?? 1),
  ...(mutant === undefined ? {} : { mutant }),
  onProgress: (done) => process.stderr.write(`\r${done} runs`),
});
process.stderr.write('\n');
console.log(renderSummary(summary));
process.exit(summary.failed.length === 0 ? 0 : 1);
