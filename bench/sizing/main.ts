/**
 * `bun run simulate:sizing [--write]`: simulates the queues of the gateway with the costs in bench/RESULTS.md, compares the
 * result with what the bench has measured, and says how many programs larger loads need. `--write` puts the tables into
 * docs/sizing.md. Exit code 1 if a figure of the bench is missed by more than 20 %; then nothing is extrapolated.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readFigures } from './read-results.ts';
import { renderComparisons, replaceTables, size } from './render.ts';

const root = join(import.meta.dir, '../..');
const document = Bun.file(join(root, 'docs/sizing.md'));

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const results = await Bun.file(join(root, 'bench/RESULTS.md')).text();
const { comparisons, failures, tables } = size(readFigures(results));
if (failures.length > 0) {
  console.log(renderComparisons(comparisons));
  console.error(`\nNot reproduced: ${failures.map(({ figure }) => figure).join('; ')}.`);
  process.exit(1);
}
console.log(tables);
if (values.write) await Bun.write(document, replaceTables(await document.text(), tables));
