/** The parts of the simulation: time, shared cores, and shared calls. */
import { describe, expect, test } from 'bun:test';
import { BatchedCalls } from '../../../bench/sizing/engine/batched-calls.ts';
import { Clock } from '../../../bench/sizing/engine/clock.ts';
import { Cores } from '../../../bench/sizing/engine/cores.ts';
import { SeededRandom } from '../../harness/seeded-random.ts';

test('events come in the order of their time, and at the same time in the order of their creation', () => {
  const clock = new Clock();
  const random = new SeededRandom(7);
  const made = Array.from({ length: 500 }, (_, order) => ({ us: random.integer(0, 50), order }));
  const seen: typeof made = [];
  for (const each of made) clock.after(each.us, () => seen.push(each));
  clock.runUntil(100);
  expect(seen).toEqual(made.toSorted((one, other) => one.us - other.us || one.order - other.order));
  expect(clock.nowUs).toBe(100);
});

test('an event that becomes due while time passes still happens, and a later one does not', () => {
  const clock = new Clock();
  const seen: number[] = [];
  clock.after(10, () => {
    seen.push(clock.nowUs);
    clock.after(5, () => seen.push(clock.nowUs));
    clock.after(500, () => seen.push(clock.nowUs));
  });
  clock.runUntil(100);
  expect(seen).toEqual([10, 15]);
});

describe('the cores of the simulation', () => {
  test('do the work of one process after the other on one core, and count its time', () => {
    const clock = new Clock();
    const process = new Cores(clock, 1).process();
    const ended: number[] = [];
    process.run(100, () => ended.push(clock.nowUs));
    process.run(50, () => ended.push(clock.nowUs));
    clock.runUntil(1_000);
    expect(ended).toEqual([100, 150]);
    expect(process.busyUs).toBe(150);
  });

  test('let two processes on one core take turns, so that short work does not wait for all of the long', () => {
    const clock = new Clock();
    const cores = new Cores(clock, 1);
    const ended: Record<string, number> = {};
    cores.process().run(20_000, () => {
      ended.long = clock.nowUs;
    });
    cores.process().run(100, () => {
      ended.short = clock.nowUs;
    });
    clock.runUntil(50_000);
    expect(ended.short).toBeLessThan(5_000);
    expect(ended.long).toBe(20_100);
  });

  test('let two processes on two cores run concurrently, and one process never uses both', () => {
    const clock = new Clock();
    const cores = new Cores(clock, 2);
    const ended: number[] = [];
    const [one, other] = [cores.process(), cores.process()];
    one.run(1_000, () => ended.push(clock.nowUs));
    one.run(1_000, () => ended.push(clock.nowUs));
    other.run(1_000, () => ended.push(clock.nowUs));
    clock.runUntil(10_000);
    expect(ended).toEqual([1_000, 1_000, 2_000]);
  });

  test('are never idle while there is work, and do no more work than there is time', () => {
    const clock = new Clock();
    const cores = new Cores(clock, 2);
    const processes = Array.from({ length: 5 }, () => cores.process());
    for (const process of processes) for (let task = 0; task < 100; task += 1) process.run(1_000, () => {});
    clock.runUntil(100_000);
    const busyUs = processes.reduce((sum, process) => sum + process.busyUs, 0);
    expect(busyUs).toBeGreaterThan(197_000);
    expect(busyUs).toBeLessThanOrEqual(200_000);
  });
});

describe('batched calls', () => {
  function batched(waitUs: number) {
    const clock = new Clock();
    const sent: { readonly atUs: number; readonly items: number }[] = [];
    const calls = new BatchedCalls(clock, waitUs, (items, replied) => {
      sent.push({ atUs: clock.nowUs, items });
      clock.after(1_000, replied);
    });
    return { clock, sent, calls };
  }

  test('begin immediately with the first operation, and those that arrive in the meantime share the next', () => {
    const { clock, sent, calls } = batched(0);
    const replied: number[] = [];
    for (const us of [0, 100, 200, 300]) clock.after(us, () => calls.add(() => replied.push(clock.nowUs)));
    clock.runUntil(10_000);
    expect(sent).toEqual([
      { atUs: 0, items: 1 },
      { atUs: 1_000, items: 3 },
    ]);
    expect(replied).toEqual([1_000, 2_000, 2_000, 2_000]);
  });

  test('send operations that may wait together when their time is over', () => {
    const { clock, sent, calls } = batched(2_000);
    for (const us of [0, 1_500, 1_700]) clock.after(us, () => calls.add(() => {}));
    clock.runUntil(10_000);
    expect(sent).toEqual([
      { atUs: 0, items: 1 },
      { atUs: 3_500, items: 2 },
    ]);
  });

  test('send a waiting operation immediately once a caller waits for it', () => {
    const { clock, sent, calls } = batched(2_000);
    for (const us of [0, 1_500]) clock.after(us, () => calls.add(() => {}));
    clock.after(1_600, () => calls.hurry());
    clock.runUntil(10_000);
    expect(sent.map(({ atUs }) => atUs)).toEqual([0, 1_600]);
  });

  test('have at most 64 operations', () => {
    const { clock, sent, calls } = batched(10_000);
    for (let item = 0; item < 200; item += 1) clock.after(1, () => calls.add(() => {}));
    clock.runUntil(100_000);
    expect(Math.max(...sent.map(({ items }) => items))).toBe(64);
    expect(sent.reduce((sum, { items }) => sum + items, 0)).toBe(200);
  });
});
