/** The parts of the simulation: time, shared cores, and draws. */
import { describe, expect, test } from 'bun:test';
import { Clock } from '../../../bench/sizing/engine/clock.ts';
import { Cores } from '../../../bench/sizing/engine/cores.ts';
import { GatheredDraws } from '../../../bench/sizing/engine/gathered-draws.ts';
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

describe('gathered draws', () => {
  function gathered(waitUs: number) {
    const clock = new Clock();
    const sent: { readonly atUs: number; readonly charges: number }[] = [];
    const draws = new GatheredDraws(clock, waitUs, (charges, replied) => {
      sent.push({ atUs: clock.nowUs, charges });
      clock.after(1_000, replied);
    });
    return { clock, sent, draws };
  }

  test('have what arrives within the wait of their first charge, and a later one begins the next', () => {
    const { clock, sent, draws } = gathered(10_000);
    const replied: number[] = [];
    for (const us of [500, 6_000, 10_400, 10_600]) clock.after(us, () => draws.add(() => replied.push(clock.nowUs)));
    clock.runUntil(50_000);
    expect(sent).toEqual([
      { atUs: 10_500, charges: 3 },
      { atUs: 20_600, charges: 1 },
    ]);
    expect(replied).toEqual([11_500, 11_500, 11_500, 21_600]);
  });

  test('have every charge once, whenever it arrives', () => {
    const { clock, sent, draws } = gathered(10_000);
    const random = new SeededRandom(11);
    const replies = new Map<number, number>();
    for (let charge = 0; charge < 500; charge += 1) {
      const add = () => draws.add(() => replies.set(charge, (replies.get(charge) ?? 0) + 1));
      clock.after(random.integer(0, 400_000), add);
    }
    clock.runUntil(1_000_000);
    expect(sent.reduce((sum, { charges }) => sum + charges, 0)).toBe(500);
    expect([...replies.values()].every((count) => count === 1)).toBe(true);
    expect(replies.size).toBe(500);
  });
});
