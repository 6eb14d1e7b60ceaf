/**
 * The environment under which a server sees another time than the machine has: Debian's libfaketime, put in front of the
 * C library. Redis' usual allocator asks for the time before libfaketime is ready, so the one of the C library takes its
 * place.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { installUnattended, manualInstall } from '../../local/servers/system-package.ts';

const libfaketime = { apt: 'libfaketime' } as const;
const librariesFolder = '/usr/lib';

/** Behind the machine's time by so many seconds, or ahead of it where they are negative. */
export async function clockBehindBy(seconds: number): Promise<Record<string, string>> {
  if (seconds === 0) return {};
  return {
    LD_PRELOAD: `${await ensureLibrary()} libc.so.6`,
    FAKETIME: `${seconds > 0 ? '-' : '+'}${Math.abs(seconds)}s`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}

/** Undefined if a server can be given another clock on this machine; else why not, and what would help. */
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
