/** Faults of a proxy: killed at each step of a request, and frozen until other programs end its requests. */
import { waitUntil } from '../../../local/processes/poll.ts';
import { waitFor } from '../../harness/account-view.ts';
import { expireAll } from '../verification/rest.ts';
import type { World } from '../world/world.ts';
import type { Fault } from './fault.ts';
import { pauseWrites, resumeWrites, whenNoScriptWaits, whenScriptsWait } from './paused-writes.ts';

const waitMs = 120_000;
const streamsMin = 5;
const responsesMin = 2;
const responsesMs = 700;

/** Of two proxies, or of the one that there is. */
const scriptsOf = ({ proxies }: World) => Math.min(2, proxies.alive.length);

export const proxyKilledInStreams: Fault = {
  name: 'proxy killed in mid-stream',
  touches: 'a proxy',
  inject: async (world, { random }) => {
    await waitFor('streams to run', waitMs, async () => world.provider.streamsRunning() >= streamsMin);
    await world.proxies.kill(random.pick(world.proxies.alive));
    await world.proxies.add();
  },
};

/** Redis has created the holds; the proxy never learns of them, and no provider is called. */
export const proxyKilledAfterReserve: Fault = {
  name: 'proxy killed between reserve and send',
  touches: 'a proxy',
  inject: async (world, { random }) => {
    const victim = random.pick(world.proxies.alive);
    await pauseWrites(world);
    await whenScriptsWait(world, scriptsOf(world));
    world.proxies.freeze(victim);
    await resumeWrites(world);
    await whenNoScriptWaits(world);
    await world.proxies.kill(victim);
    await world.proxies.add();
  },
};

/** Whole responses were read and their settles sent; no program learned whether Redis has run them. */
export const proxyKilledInSettle: Fault = {
  name: 'proxy killed while it settles',
  touches: 'a proxy',
  inject: async (world, { random }) => {
    const victim = random.pick(world.proxies.alive);
    await pauseWrites(world);
    await whileResponding(world);
    await whenScriptsWait(world, scriptsOf(world));
    if (random.chance(0.5)) {
      world.proxies.freeze(victim);
      await resumeWrites(world);
      await whenNoScriptWaits(world);
    }
    await world.proxies.kill(victim);
    await resumeWrites(world);
    await world.proxies.add();
  },
};

/** Or until no response can be expected any more, because no new request gets through the pause. */
async function whileResponding(world: World): Promise<void> {
  const before = world.provider.wholeResponsesSent();
  await waitUntil(() => world.provider.wholeResponsesSent() >= before + responsesMin, { timeoutMs: responsesMs });
}

/** Its requests are ended as abandoned, at an estimate; when it resumes, the real charge replaces the estimate. */
export const proxyFrozen: Fault = {
  name: 'proxy frozen until its holds have expired',
  touches: 'a proxy',
  inject: async (world, { random, awayMs }) => {
    const victim = random.pick(world.proxies.alive);
    await waitFor('streams to run', waitMs, async () => world.provider.streamsRunning() >= streamsMin);
    world.proxies.freeze(victim);
    try {
      await Bun.sleep(awayMs / 2);
      await expireAll(world);
      await Bun.sleep(awayMs / 2);
    } finally {
      world.proxies.thaw(victim);
    }
  },
};
