/** Lines of batches run in what interactive requests leave free, and in turns. */
import { afterEach, expect, test } from 'bun:test';
import { Slots } from '../../../proxy/batches/slots.ts';
import { nextTurn } from '../../../shared/next-turn.ts';

let interactive = 0;
/** Stands still unless a test moves it: a busy machine would be late. */
let nowMs = 0;
const opened: Slots[] = [];

afterEach(() => {
  interactive = 0;
  for (const slots of opened.splice(0)) slots.stop();
});

function open(max: number): Slots {
  const slots = new Slots({ max, interactive: () => interactive, now: () => nowMs });
  opened.push(slots);
  return slots;
}

/** As many turns as any number of slots takes. */
const settled = async () => {
  for (let turn = 0; turn < 50; turn += 1) await nextTurn();
};

async function acquired(slots: Slots, wanted: number) {
  const releases: (() => void)[] = [];
  for (let index = 0; index < wanted; index += 1) void slots.acquire().then((release) => releases.push(release));
  await settled();
  return releases;
}

test('there are as many as configured, and one that is given back is given to the next', async () => {
  const releases = await acquired(open(3), 5);
  expect(releases).toHaveLength(3);
  releases[0]?.();
  releases[0]?.();
  await settled();
  expect(releases).toHaveLength(4);
});

test('beside interactive requests there is a quarter, less one for each, and always one', async () => {
  for (const [requests, left] of [
    [1, 4],
    [3, 2],
    [4, 1],
    [100, 1],
  ] as const) {
    interactive = requests;
    expect([requests, (await acquired(open(20), 30)).length]).toEqual([requests, left]);
  }
});

test('the others stay free for a second after the last interactive request', async () => {
  const slots = open(8);
  interactive = 1;
  await acquired(slots, 1);
  interactive = 0;
  nowMs += 1_000;
  const releases = await acquired(slots, 8);
  expect(releases).toHaveLength(1);
  nowMs += 1;
  releases[0]?.();
  await settled();
  expect(releases).toHaveLength(8);
});

test('they are given in the order in which they were asked for, so batches take turns', async () => {
  const slots = open(1);
  const order: string[] = [];
  let release = await slots.acquire();
  for (const name of ['one', 'other', 'one', 'other']) {
    void slots.acquire().then((next) => {
      order.push(name);
      release = next;
    });
  }
  for (let turn = 0; turn < 4; turn += 1) {
    release();
    await settled();
  }
  expect(order).toEqual(['one', 'other', 'one', 'other']);
});
