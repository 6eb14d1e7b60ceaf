/**
 * Installs the agents that the tests run, each from its folder of `packages/`, into a cache outside of the project: they
 * are more than a gigabyte, and only these tests need them. Later runs, and other copies of the project, find them
 * there.
 */
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

const packages = join(import.meta.dir, 'packages');
/**
 * Their install scripts replace a placeholder with the program of this platform. No other script is run: npm adopts the
 * project's `ignore-scripts` only if `npm test` started us.
 */
const completedByScript: Readonly<Record<string, string>> = {
  'claude-code': '@anthropic-ai/claude-code',
  opencode: 'opencode-ai',
};
const installTimeoutMs = 300_000;

export type Installation =
  | { readonly ok: true; readonly directory: string }
  | { readonly ok: false; readonly why: string };

/** Not ok if it is not in the cache and the registry cannot be reached. `name` is a folder of `packages/`. */
export async function installAgent(name: string): Promise<Installation> {
  const source = join(packages, name);
  const digest = await digestOf(join(source, 'package-lock.json'), completedByScript[name]);
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'model-gateway');
  const directory = join(cache, `agent-${name}-${digest}-${process.platform}-${process.arch}`);
  if (await Bun.file(join(directory, 'package-lock.json')).exists()) return { ok: true, directory };
  await mkdir(cache, { recursive: true });
  // Renamed once it is complete, so that no other run ever finds a part of it.
  const unfinished = await mkdtemp(join(cache, 'unfinished-'));
  try {
    for (const file of ['package.json', 'package-lock.json'])
      await Bun.write(join(unfinished, file), Bun.file(join(source, file)));
    const why = (await installPackages(unfinished)) ?? (await complete(unfinished, name));
    if (why !== undefined) return { ok: false, why };
    await rename(unfinished, directory).catch((error: unknown) => {
      // Another run was faster.
      if (!isTaken(error)) throw error;
    });
    return { ok: true, directory };
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function digestOf(lockFile: string, completed = ''): Promise<string> {
  const recipe = new Bun.CryptoHasher('sha256').update(await readFile(lockFile)).update(completed);
  return recipe.digest('hex').slice(0, 16);
}

/** Not `npm ci`, which refuses a lock file without the optional packages of other platforms. */
function installPackages(directory: string): Promise<string | undefined> {
  return runNpm(directory, ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1']);
}

async function complete(directory: string, name: string): Promise<string | undefined> {
  const completed = completedByScript[name];
  return completed === undefined ? undefined : runNpm(directory, ['rebuild', '--no-ignore-scripts', completed]);
}

/** Returns npm's output if it failed. */
async function runNpm(directory: string, command: readonly string[]): Promise<string | undefined> {
  const npm = Bun.which('npm');
  if (npm === null) return 'npm is not installed.';
  const child = Bun.spawn([npm, ...command, '--loglevel=error'], {
    cwd: directory,
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: installTimeoutMs,
  });
  const [exitCode, said] = await Promise.all([child.exited, new Response(child.stderr).text()]);
  return exitCode === 0 ? undefined : said.trim() || `npm exited with ${exitCode}.`;
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOTEMPTY' || error.code === 'EEXIST');
}
