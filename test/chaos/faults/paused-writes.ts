/** Pauses every script in Redis for a moment, so that a program can be caught while it waits for one. */
import { waitUntil } from '../../../local/processes/poll.ts';
import { waitFor } from '../../harness/account-view.ts';
import type { World } from '../world/world.ts';

/** In case the pause is never lifted: shorter than the proxies' own command timeout. */
export const pauseMaxMs = 1_500;
const quietMs = 500;
const pollMs = 10;
const waitMs = 120_000;

export async function pauseWrites(world: World, forMs = pauseMaxMs): Promise<void> {
  await world.redis.call('CLIENT', 'PAUSE', String(forMs), 'WRITE');
}

export async function resumeWrites(world: World): Promise<void> {
  await world.redis.call('CLIENT', 'UNPAUSE');
}

/**
 * Until scripts of at least this many programs wait in Redis, or the pause is nearly over: then there was no traffic.
 */
export async function whenScriptsWait(world: World, programs: number): Promise<void> {
  await waitUntil(async () => (await waitingScripts(world)) >= programs, { timeoutMs: quietMs, everyMs: pollMs });
}

export async function whenNoScriptWaits(world: World): Promise<void> {
  await waitFor('scripts to run', waitMs, async () => (await waitingScripts(world)) === 0);
}

/** A program has one connection, so at most one script of each waits, with the others behind it. */
async function waitingScripts(world: World): Promise<number> {
  const clients = String(await world.redis.call('CLIENT', 'LIST')).split('\n');
  return clients.filter((client) => / flags=\w*b/.test(client) && / cmd=evalsha/.test(client)).length;
}
