/**
 * `npm run check`: everything that checks the source without running it. All checks run even when one fails, so
 * that one run names every problem; a check that passes prints only its time.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { bunPath, ensureInstalled, root } from './install.mjs';

const checks = [
  { name: 'biome', args: ['check', '--error-on-warnings', '.'] },
  { name: 'tsc', args: ['-p', '.'] },
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
const failed = checks.filter((check) => !passes(check));
if (failed.length > 0) console.error(`Failed: ${failed.map(({ name }) => name).join(', ')}`);
process.exit(failed.length > 0 ? 1 : 0);

function passes({ name, command: [program, ...first] = [join(root, 'node_modules', '.bin', name)], args }) {
  const startedAt = performance.now();
  const result = spawnSync(program, [...first, ...args], {
    cwd: root,
    env: { ...process.env, ...quiet },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const passed = result.status === 0;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${passed ? '✓' : '✗'} ${[name, ...args].join(' ')} (${seconds} s)`);
  if (!passed) console.log(`${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`.trimEnd());
  return passed;
}
