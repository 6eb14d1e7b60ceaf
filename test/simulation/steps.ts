/** What can happen next, by chance. */
import type { World } from './world.ts';

const weights = {
  begin: 26,
  deliver: 26,
  end: 12,
  fail: 2,
  time: 14,
  tick: 14,
  apply: 12,
  expire: 8,
  recover: 10,
  credit: 3,
  late: 5,
  copy: 3,
  'cut off': 4,
  'proxy killed': 1.5,
  'admin killed before commit': 2,
  'admin killed after commit': 2,
  'duplicate event': 2,
  'Postgres down': 1,
  'Redis restarted': 0.7,
  'failover that forgets': 0.7,
  'Redis lost everything': 0.4,
  'clock jump': 0.5,
};

type Step = keyof typeof weights;

/** Some runs have more of one kind of trouble, so that rare combinations are met in few runs. */
const profiles: readonly Partial<Record<Step, number>>[] = [
  {},
  { 'cut off': 12, expire: 14, begin: 36, time: 24, tick: 24 },
  {
    'cut off': 4,
    'failover that forgets': 4,
    'Redis lost everything': 3,
    recover: 30,
    begin: 40,
    end: 30,
    apply: 30,
    time: 7,
  },
  { 'proxy killed': 6, expire: 14, time: 24, tick: 24 },
];

/** The kind of trouble of one run. */
export function weightsOf(seed: number): Readonly<Record<Step, number>> {
  return { ...weights, ...profiles[seed % profiles.length] };
}

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
      if (proxy) {
        proxy.die();
        world.dead.add(proxy);
        world.proxies.splice(world.proxies.indexOf(proxy), 1);
        world.startProxy();
      }
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
  }
}
