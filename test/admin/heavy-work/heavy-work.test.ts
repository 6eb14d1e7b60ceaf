/**
 * Turns of expensive work: the limits hold for any requests in any order, and no account waits behind another's queue.
 */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type HeavyKind, type HeavyLimits, HeavyWork, heavyKinds } from '../../../admin/heavy-work/heavy-work.ts';

const never = new AbortController().signal;
const limits: HeavyLimits = {
  noun: 'documents, exports and queries',
  accountAtOnce: 3,
  accountWaiting: 2,
  waiting: 4,
  waitMs: 60_000,
  kinds: {
    document: { atOnce: 2, accountAtOnce: 1 },
    query: { atOnce: 4, accountAtOnce: 2 },
    export: { atOnce: 3, accountAtOnce: 2 },
  },
};
const documents = (accountId: number, signal = never) => ({ kind: 'document', accountId, signal }) as const;
const codeOf = (refused: Promise<unknown>) =>
  refused.then(
    () => 'begun',
    (error: { code: string }) => error.code,
  );

const step = fc.oneof(
  fc.record({
    do: fc.constant('begin' as const),
    kind: fc.constantFrom(...heavyKinds),
    accountId: fc.integer({ min: 1, max: 4 }),
  }),
  fc.record({ do: fc.constantFrom('end' as const, 'leave' as const), index: fc.nat() }),
);

interface QueuedTask {
  readonly kind: HeavyKind;
  readonly accountId: number;
  readonly client: AbortController;
  state: 'waiting' | 'running' | 'over';
  end?: () => void;
}

test('no limit is exceeded, and nothing waits that could run, whatever begins, ends and leaves', async () => {
  const property = fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
    const work = new HeavyWork(limits);
    const all: QueuedTask[] = [];
    const of = (state: QueuedTask['state']) => all.filter((one) => one.state === state);
    for (const one of steps) {
      if (one.do === 'begin') all.push(begin(work, one));
      else if (one.do === 'end') pick(of('running'), one.index)?.end?.();
      else pick(of('waiting'), one.index)?.client.abort();
      await new Promise(setImmediate);
      checkLimits(of('running'), of('waiting'));
    }
    for (let running = of('running'); running.length > 0; running = of('running')) {
      running[0]?.end?.();
      await new Promise(setImmediate);
    }
    expect(of('waiting')).toEqual([]);
  });
  await fc.assert(property, { numRuns: 150 });
});

function begin(work: HeavyWork, { kind, accountId }: { kind: HeavyKind; accountId: number }): QueuedTask {
  const queuedTask: QueuedTask = { kind, accountId, client: new AbortController(), state: 'waiting' };
  work.begin({ kind, accountId, signal: queuedTask.client.signal }).then(
    (end) => {
      queuedTask.state = 'running';
      queuedTask.end = () => {
        queuedTask.state = 'over';
        end();
        end();
      };
    },
    () => {
      queuedTask.state = 'over';
    },
  );
  return queuedTask;
}

const pick = (tasks: readonly QueuedTask[], index: number) => tasks[index % Math.max(tasks.length, 1)];

function checkLimits(running: readonly QueuedTask[], waiting: readonly QueuedTask[]): void {
  const count = (where: (one: QueuedTask) => boolean) => running.filter(where).length;
  const isFull = (kind: HeavyKind, accountId: number) =>
    count((one) => one.kind === kind) >= limits.kinds[kind].atOnce ||
    count((one) => one.accountId === accountId) >= limits.accountAtOnce ||
    count((one) => one.accountId === accountId && one.kind === kind) >= limits.kinds[kind].accountAtOnce;
  for (const kind of heavyKinds) {
    expect(count((one) => one.kind === kind)).toBeLessThanOrEqual(limits.kinds[kind].atOnce);
    for (const accountId of [1, 2, 3, 4]) {
      expect(count((one) => one.accountId === accountId)).toBeLessThanOrEqual(limits.accountAtOnce);
      expect(count((one) => one.accountId === accountId && one.kind === kind)).toBeLessThanOrEqual(
        limits.kinds[kind].accountAtOnce,
      );
    }
  }
  expect(waiting.filter(({ kind, accountId }) => !isFull(kind, accountId))).toEqual([]);
  expect(waiting.length).toBeLessThanOrEqual(limits.waiting);
}

describe('an account', () => {
  test('is refused with 429 beyond its own queue, while others can still queue', async () => {
    const work = new HeavyWork(limits);
    await work.begin(documents(1));
    const leaving = new AbortController();
    const waiting = [work.begin(documents(1, leaving.signal)), work.begin(documents(1, leaving.signal))];
    expect(await codeOf(work.begin(documents(1)))).toBe('rate_limit_exceeded');
    expect(await codeOf(work.begin(documents(2)))).toBe('begun');
    leaving.abort();
    expect(await Promise.all(waiting.map(codeOf))).toEqual(['rate_limit_exceeded', 'rate_limit_exceeded']);
  });

  test('an account that has nothing running precedes one that waited longer and has', async () => {
    const work = new HeavyWork({ ...limits, kinds: { ...limits.kinds, document: { atOnce: 2, accountAtOnce: 2 } } });
    const ends = [await work.begin(documents(1)), await work.begin(documents(1))];
    const order: number[] = [];
    const wait = async (accountId: number) => {
      const end = await work.begin(documents(accountId));
      order.push(accountId);
      return end;
    };
    const all = [wait(1), wait(1), wait(2)];
    ends[0]?.();
    const endOfOther = await all[2];
    expect(order).toEqual([2]);
    endOfOther?.();
    ends[1]?.();
    for (const end of await Promise.all(all)) end();
  });
});

test('full queues return 503, and a request that waited too long gets 503 or 429', async () => {
  const work = new HeavyWork(limits);
  await Promise.all([work.begin(documents(1)), work.begin(documents(2))]);
  for (const accountId of [3, 4, 5, 6]) void codeOf(work.begin(documents(accountId)));
  expect(await codeOf(work.begin(documents(7)))).toBe('overloaded');

  const impatient = new HeavyWork({ ...limits, waitMs: 1 });
  await Promise.all([impatient.begin(documents(1)), impatient.begin(documents(2))]);
  expect(await codeOf(impatient.begin(documents(3)))).toBe('overloaded');
  expect(await codeOf(impatient.begin(documents(1)))).toBe('rate_limit_exceeded');
});

test('failed work releases its turn', async () => {
  const work = new HeavyWork(limits);
  for (let count = 0; count < 3; count += 1) {
    expect(await codeOf(work.run(documents(1), () => Promise.reject({ code: 'failed' })))).toBe('failed');
  }
  expect(await work.run(documents(1), async () => 'done')).toBe('done');
});
