/** The next random step. */
import { leaseSpanMs } from '../../shared/wallet/lease.ts';
import {
  chargeUncovered,
  dieInOverrun,
  overtakeRenewal,
  repeatDrawAfterFailover,
  repeatUnderSlowerClock,
} from './misfortunes.ts';
import type { Step } from './profiles.ts';
import type { SimulatedProxy } from './simulated/simulated-proxy.ts';
import { tokenNano } from './simulated/true-request.ts';
import type { World } from './world.ts';

const faultSteps: ReadonlySet<Step> = new Set([
  'cut off',
  'proxy killed',
  'admin killed before commit',
  'admin killed after commit',
  'duplicate event',
  'Postgres down',
  'Redis restarted',
  'failover that forgets',
  'Redis lost everything',
  'clock jump',
  'Redis restarted under another clock',
  'failover to another clock',
  'uncovered charge',
  'death in an overrun',
  'overtaken renewal',
  'repetition under a slower clock',
  'draw repeated after a failover',
]);

/** Returns what was done. */
export async function randomStep(world: World): Promise<Step> {
  const step = world.random.weighted(world.weights);
  if (faultSteps.has(step)) world.faults.count(step);
  await takeStep(world, step);
  return step;
}

async function takeStep(world: World, step: Step): Promise<void> {
  const { random, admin, redis } = world;
  const proxy = random.pickIfAny(world.proxies);
  const request = random.pickIfAny([...(proxy?.requests ?? [])]);
  switch (step) {
    case 'begin':
      if (proxy)
        world.requests.push(await proxy.begin(random.pickIfAny(world.ledger.accountIds) ?? 1, random.integer(5, 60)));
      return;
    case 'deliver':
      if (proxy && request) await proxy.deliver(request, random.integer(1, 25));
      return;
    case 'burst':
      if (proxy) await burst(world, proxy, random.pickIfAny(world.ledger.accountIds) ?? 1);
      return;
    case 'key':
      return changeKey(world, random.pickIfAny(world.ledger.accountIds) ?? 1);
    case 'budget':
      return changeBudgets(world, random.pickIfAny(world.ledger.accountIds) ?? 1);
    case 'night':
      return world.advance(random.integer(1, 20) * 3_600_000);
    case 'flush':
      return proxy?.flush();
    case 'recall':
      return proxy?.recall(random.pickIfAny(world.ledger.accountIds) ?? 1);
    case 'end':
      if (proxy && request) await proxy.settle(request);
      return;
    case 'fail':
      if (proxy && request && request.deliveredTokens === 0) await proxy.release(request);
      return;
    case 'time':
      return world.advance(random.integer(1, 45) * 1_000);
    case 'tick':
      return proxy?.tick();
    case 'apply':
      await admin.apply();
      return;
    case 'expire':
      return admin.expire();
    case 'recover':
      return admin.recover();
    case 'credit':
      return admin.credit(random.pickIfAny(world.ledger.accountIds) ?? 1, BigInt(random.integer(1, 20)) * 100n);
    case 'late':
      return world.deliverLate();
    case 'copy':
      return redis.copy();
    default:
      return takeFault(world, step);
  }
}

async function takeFault(world: World, step: Step): Promise<void> {
  const { random, admin, redis } = world;
  const proxy = random.pickIfAny(world.proxies);
  switch (step) {
    case 'cut off':
      if (proxy) proxy.connection.cutOff = !proxy.connection.cutOff;
      return;
    case 'proxy killed':
      if (proxy) world.kill(proxy);
      return;
    case 'admin killed before commit':
      await admin.apply('before commit');
      return;
    case 'admin killed after commit':
    case 'duplicate event':
      await admin.apply('after commit');
      return;
    case 'Postgres down':
      world.postgresDown = !world.postgresDown;
      return;
    case 'Redis restarted':
      return redis.restart();
    case 'failover that forgets':
      world.redisLostWrites = true;
      return redis.failOver();
    case 'Redis lost everything':
      world.redisLostWrites = true;
      return redis.loseEverything();
    case 'clock jump':
      return world.advance(random.integer(-60, 600) * 1_000);
    case 'Redis restarted under another clock':
      await redis.moveClock(random.integer(-400, 100) * 1_000);
      return redis.restart();
    case 'failover to another clock':
      world.redisLostWrites = true;
      await redis.moveClock(random.integer(-400, 100) * 1_000);
      return redis.failOver();
    case 'uncovered charge':
      return chargeUncovered(world);
    case 'death in an overrun':
      return dieInOverrun(world);
    case 'overtaken renewal':
      return overtakeRenewal(world);
    case 'repetition under a slower clock':
      return repeatUnderSlowerClock(world);
    case 'draw repeated after a failover':
      return repeatDrawAfterFailover(world);
  }
}

/** Requests of one account in quick succession. */
async function burst(world: World, proxy: SimulatedProxy, accountId: number): Promise<void> {
  const { random } = world;
  for (let count = random.integer(2, 8); count > 0; count -= 1) {
    await world.advance(random.integer(1, 100));
    if (random.chance(0.5)) await proxy.flush();
    const request = await proxy.begin(accountId, random.integer(1, 8));
    world.requests.push(request);
    if (request.state !== 'running' || random.chance(0.3)) continue;
    await proxy.deliver(request, random.integer(1, 8));
    if (proxy.requests.has(request)) await proxy.settle(request);
  }
}

/** A key is deactivated, or activated again. The call returns once every proxy has heard of it, or its lease is too old. */
async function changeKey(world: World, accountId: number): Promise<void> {
  const { admin, proxies, takenAway, random } = world;
  const proxy = random.pickIfAny(proxies);
  if (takenAway.delete(accountId)) {
    world.keys.activate(accountId, true);
    return admin.publishKeys(accountId);
  }
  if (proxy) await burst(world, proxy, accountId);
  world.keys.activate(accountId, false);
  await publishAndWait(world, accountId);
  takenAway.add(accountId);
  if (proxy) await burst(world, proxy, accountId);
}

/** Returns once every proxy has heard of the change, or its lease is too old. */
async function publishAndWait(world: World, accountId: number): Promise<void> {
  const { admin, proxies } = world;
  await admin.publishKeys(accountId);
  for (const each of proxies) await each.obey(accountId);
  const until = world.elapsedMs + leaseSpanMs;
  while (world.elapsedMs < until && (await admin.keeper.countRecalledLeases(accountId)) > 0) await world.advance(100);
}

/** Of a charge that is no estimate. */
const finalRank = 2;
const periods = ['day', 'week', 'month', 'total'] as const;
const timeZones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'];

/** A budget is made, changed or removed, a key is moved, or the organization moves to another time zone. */
async function changeBudgets(world: World, accountId: number): Promise<void> {
  const { keys, ledger, random, requests, unjudged } = world;
  const key = random.pick(keys.of(accountId));
  const action = random.weighted({ budget: 5, move: 3, zone: 1 });
  if (action === 'move') {
    const place = { projectId: random.pick([null, 1, 2]), userId: random.pick([null, 7, 8]) };
    keys.move(key.name.keyId, { projectId: place.projectId && accountId * 10 + place.projectId, userId: place.userId });
  } else if (action === 'zone') keys.setTimeZone(accountId, random.pick(timeZones));
  else {
    const scope = random.pick(Object.values(keys.scopesOf(key)));
    const amountNano = random.chance(0.15) ? null : BigInt(random.integer(5, 400)) * tokenNano;
    keys.setBudget(scope, random.pick(periods), amountNano);
    // Their charges may be on their way.
    const unbooked = requests.filter(
      (request) => request.accountId === accountId && ledger.heads.get(request.requestId)?.rank !== finalRank,
    );
    unjudged.set(scope, [...(unjudged.get(scope) ?? []), ...unbooked]);
  }
  keys.touch(accountId);
  await publishAndWait(world, accountId);
}
