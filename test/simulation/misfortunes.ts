/** Sequences of faults that chance alone hardly ever produces. What follows each of them is left to chance again. */
import { holdMs } from '../../shared/wallet/lease.ts';
import type { SimulatedProxy } from './simulated/simulated-proxy.ts';
import type { TrueRequest } from './simulated/true-request.ts';
import type { World } from './world.ts';

const renewIntervalMs = 30_000;
/** How long the replay buffer keeps what the ledger has booked. */
const bookedKeptMs = 120_000;

/** The hold of a request expires while its proxy is cut off, other requests take the balance, and then it is settled. */
export async function chargeUncovered(world: World): Promise<void> {
  const { random, admin } = world;
  const { proxy, request } = pickRunning(world) ?? {};
  if (proxy === undefined || request === undefined) return;
  await proxy.deliver(request, random.integer(5, 25));
  proxy.connection.cutOff = true;
  await world.advance(holdMs + 1_000);
  await admin.expire();
  for (const other of world.proxies) {
    const tokensMax = await world.checks.affordableTokens(request.accountId);
    if (other !== proxy && tokensMax > 0) {
      world.requests.push(await other.begin(request.accountId, random.integer(1, tokensMax)));
    }
  }
  proxy.connection.cutOff = false;
  if (random.chance(0.5)) proxy.connection.nextFaults.push('lost reply');
  if (proxy.requests.has(request)) await proxy.settle(request);
}

/** Output outgrows its hold and is not delivered; the proxy crashes before its final charge is sent. */
export async function dieInOverrun(world: World): Promise<void> {
  const { random } = world;
  const { proxy, request } = pickRunning(world) ?? {};
  if (proxy === undefined || request === undefined) return;
  proxy.connection.nextFaults.push(random.pick(['none', 'lost reply', 'late request']), 'lost request');
  await proxy.deliver(request, request.capTokens + random.integer(1, 60));
  world.kill(proxy);
}

/** A renewal arrives after a newer one, and the proxy may crash then. */
export async function overtakeRenewal(world: World): Promise<void> {
  const { random } = world;
  const { proxy, request } = pickRunning(world) ?? {};
  if (proxy === undefined || request === undefined || proxy.connection.cutOff) return;
  await world.advance(renewIntervalMs + 1_000);
  proxy.connection.nextFaults.push('late request');
  await proxy.renew(request);
  if (proxy.requests.has(request)) await proxy.deliver(request, random.integer(1, 10));
  proxy.connection.nextFaults.push('none');
  if (proxy.requests.has(request)) await proxy.renew(request);
  await world.deliverLate();
  if (random.chance(0.5)) world.kill(proxy);
}

/** The reply to a final charge is lost. It is resent to a Redis whose clock is behind, while Postgres is down. */
export async function repeatUnderSlowerClock(world: World): Promise<void> {
  const { random, redis } = world;
  const { proxy, request } = pickRunning(world) ?? {};
  if (proxy === undefined || request === undefined || proxy.connection.cutOff) return;
  world.postgresDown = true;
  await proxy.deliver(request, random.integer(1, 10));
  proxy.connection.nextFaults.push('lost reply');
  if (proxy.requests.has(request)) await proxy.settle(request);
  await redis.moveClock(-random.integer(10, 400) * 1_000);
  if (random.chance(0.5)) await redis.restart();
  await proxy.tick();
  await world.advance(bookedKeptMs + 1_000);
  await proxy.tick();
  if (random.chance(0.5)) {
    world.redisLostWrites = true;
    await redis.loseEverything();
  }
  world.postgresDown = false;
}

/**
 * The ledger has the charges of a draw that a failover forgets, and that the proxy repeats before it has noticed: its reply was
 * lost.
 */
export async function repeatDrawAfterFailover(world: World): Promise<void> {
  const { random, admin, redis } = world;
  const proxy = random.pickIfAny(world.proxies);
  if (proxy === undefined || proxy.connection.cutOff) return;
  const accountId = random.pickIfAny(world.ledger.accountIds) ?? 1;
  // The last of them begins from a lease.
  for (let requests = 3; requests > 0; requests -= 1) {
    await proxy.flush();
    const request = await proxy.begin(accountId, random.integer(1, 4));
    world.requests.push(request);
    if (requests === 1) await redis.copy();
    if (request.state === 'running') await proxy.deliver(request, random.integer(1, 4));
    if (proxy.requests.has(request)) await proxy.settle(request);
  }
  proxy.connection.nextFaults.push('lost reply');
  await proxy.flush();
  while ((await admin.apply()) > 0);
  world.redisLostWrites = true;
  await redis.failOver();
  await admin.recover();
  await world.advance(3_000);
  await admin.recover();
  // Charges alone are refused, and become a whole draw.
  for (let time = 0; time < 2; time += 1) await proxy.flush();
}

function pickRunning({ random, proxies }: World): { proxy: SimulatedProxy; request: TrueRequest } | undefined {
  const proxy = random.pickIfAny(proxies);
  const request = random.pickIfAny([...(proxy?.requests ?? [])]);
  return proxy && request && { proxy, request };
}
