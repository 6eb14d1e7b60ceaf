/**
 * The environment that gives a server a clock different from the machine's: Debian's libfaketime, preloaded before the
 * C library. Redis' usual allocator reads the time before libfaketime is ready, so the C library's allocator replaces
 * it.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { installUnattended, manualInstall } from '../../../local/servers/system-package.ts';

const libfaketime = { apt: 'libfaketime' } as const;
const librariesFolder = '/usr/lib';

/** Behind the machine's time by this many seconds, or ahead of it if negative. */
export async function clockBehindBy(seconds: number): Promise<Record<string, string>> {
  if (seconds === 0) return {};
  return {
    LD_PRELOAD: `${await ensureLibrary()} libc.so.6`,
    FAKETIME: `${seconds > 0 ? '-' : '+'}${Math.abs(seconds)}s`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}

/** Undefined if this machine can give a server another clock; otherwise why not, and how to fix it. */
export async function whyNoOtherClock(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'only Linux can give a server another clock than the machine has';
  try {
    await ensureLibrary();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function ensureLibrary(): Promise<string> {
  const found = findLibrary();
  if (found !== undefined) return found;
  const problem = await installUnattended(libfaketime, (text) => console.error(text));
  const installed = findLibrary();
  if (installed !== undefined) return installed;
  throw new Error(`libfaketime is not on this machine (${problem}). Install it with: ${manualInstall(libfaketime)}`);
}

function findLibrary(): string | undefined {
  // Debian has a folder for each architecture, such as x86_64-linux-gnu; others have none.
  const folders = [librariesFolder, ...readdirSync(librariesFolder).map((name) => join(librariesFolder, name))];
  return folders.map((folder) => join(folder, 'faketime/libfaketime.so.1')).find((path) => existsSync(path));
}
