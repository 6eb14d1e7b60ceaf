/**
 * `npm run check`: everything that checks the source without running it. All checks run even when one fails, so
 * that one run names every problem; a check that passes prints only its time.
 */
import { spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { bunPath, ensureInstalled, root } from './install.mjs';

const checks = [
  { name: 'tsc', args: ['-p', '.'] },
  { name: 'biome', args: ['check', '--error-on-warnings', '.'] },
  { name: 'tsc', args: ['-p', 'dashboard'] },
  { name: 'knip', args: [] },
  { name: 'drizzle-kit', args: ['check'] },
  { name: 'redocly', args: ['lint', '--format=stylish'] },
  { name: 'patterns', command: [bunPath, 'local/patterns/main.ts'], args: [] },
];
/** Checks send no telemetry and look for no updates. */
const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

ensureInstalled('all');
// Parts of the dashboard come from the API's document.
for (const generator of ['api-types', 'limits']) {
  spawnSync(bunPath, [`dashboard/generate-${generator}.ts`], { cwd: root, stdio: 'inherit' });
}
const failed = [];
// As many at a time as there are cores, in their order: the slowest begin first.
const waiting = [...checks];
const runWaiting = async () => {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
    if (!(await passes(check))) failed.push(check);
  }
};
await Promise.all(Array.from({ length: availableParallelism() }, runWaiting));
if (failed.length > 0) console.error(`Failed: ${failed.map(({ name }) => name).join(', ')}`);
process.exit(failed.length > 0 ? 1 : 0);

/** Prints the result at the end, so that the output of two checks does not mix. */
async function passes({ name, command: [program, ...first] = [join(root, 'node_modules', '.bin', name)], args }) {
  const startedAt = performance.now();
  const { status, output } = await outputOf(program, [...first, ...args]);
  const passed = status === 0;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${passed ? '✓' : '✗'} ${[name, ...args].join(' ')} (${seconds} s)`);
  if (!passed) console.log(output.trimEnd());
  return passed;
}

function outputOf(program, args) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: root,
      env: { ...process.env, ...quiet },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (text) => {
        output += text;
      });
    }
    child.on('error', (error) => resolve({ status: null, output: `${output}${error.message}\n` }));
    child.on('close', (status) => resolve({ status, output }));
  });
}
