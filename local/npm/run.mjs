/**
 * Runs a TypeScript program with the installed Bun in place of this process: the same terminal, signals passed
 * on, and the same exit code at the end.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { bunPath, root } from './install.mjs';

/** Settings that Bun itself reads as it starts: `docs/deploy.md` says what they are for. */
const runtimeEnvironment = JSON.parse(readFileSync(join(root, 'local/npm/runtime-environment.json'), 'utf8'));
const parentCheckMs = 1000;

export function runBun(args) {
  const env = { ...runtimeEnvironment, ...process.env };
  const child = spawn(bunPath, args, { cwd: root, env, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  if (process.env.npm_lifecycle_event !== undefined) endWithParent(child);
  child.on('error', (error) => {
    console.error(`Bun could not be started: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

/** If npm was killed, it cannot pass on a signal; its child then gets another parent, which is how we notice. */
function endWithParent(child) {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) child.kill('SIGTERM');
  }, parentCheckMs).unref();
}
