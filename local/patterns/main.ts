/** Checks every regular expression of what runs in production: texts of strangers must not make one slow. */
import { join } from 'node:path';
import { Glob } from 'bun';
import { findSlowPatterns } from './slow-patterns.ts';

const root = join(import.meta.dir, '../..');

let files = 0;
let found = 0;
for await (const name of new Glob('{proxy,admin,shared,dashboard}/**/*.{ts,tsx}').scan(root)) {
  if (/\/(?:generated|dist)\//.test(name)) continue;
  files += 1;
  for (const { line, problem } of findSlowPatterns(name, await Bun.file(join(root, name)).text())) {
    found += 1;
    console.log(`${name}:${line}: ${problem}`);
  }
}
process.exit(found > 0 || files === 0 ? 1 : 0);
