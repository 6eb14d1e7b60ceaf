/** Every line of an input is begun once, whatever room its model has, and however often the input cannot be read. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { LineReader } from '../../../proxy/batches/line-reader.ts';

const models = ['one', 'two', 'three'] as const;

interface Situation {
  /** The model of each line. */
  readonly lines: readonly string[];
  readonly done?: ReadonlySet<number>;
  readonly atProvider?: ReadonlySet<number>;
  /** After how many lines each read of the input fails; those beyond do not. */
  readonly failsAfter?: readonly number[];
}

/** Its clock stands still unless a test moves it. */
function openReader({ lines, done = new Set(), atProvider = new Set(), failsAfter = [] }: Situation) {
  const full = new Set<string>();
  let [reads, nowMs, isStopped] = [0, 0, false];
  const reader = new LineReader({
    format: { endpoint: '/v1/chat/completions', bodyMaxBytes: 1_000 },
    isAnyAtProvider: atProvider.size > 0,
    open: async () => content(lines, failsAfter[reads++]),
    isDone: (line) => done.has(line),
    isAtProvider: (line) => atProvider.has(line),
    hasRoomFor: (model) => !full.has(model),
    isStopped: () => isStopped,
    now: () => nowMs,
  });
  return {
    ...{ reader, full, reads: () => reads },
    pass: (ms: number) => {
      nowMs += ms;
    },
    stop: () => {
      isStopped = true;
    },
  };
}

async function* content(lines: readonly string[], failsAfter = Number.POSITIVE_INFINITY) {
  for (const [index, model] of lines.entries()) {
    if (index >= failsAfter) throw new Error('the storage is away');
    yield Buffer.from(`${JSON.stringify({ custom_id: String(index + 1), body: { model } })}\n`);
  }
  if (lines.length >= failsAfter) throw new Error('the storage is away');
}

const all = (lines: readonly unknown[]) => lines.map((_, index) => index + 1);

test('each line that is not done is begun once, whichever models have room and whichever reads fail', async () => {
  const situations = fc.record({
    lines: fc.array(fc.constantFrom(...models), { maxLength: 40 }),
    done: fc.uniqueArray(fc.integer({ min: 1, max: 40 })),
    atProvider: fc.uniqueArray(fc.integer({ min: 1, max: 40 })),
    failsAfter: fc.array(fc.nat({ max: 40 }), { maxLength: 4 }),
    toggled: fc.array(fc.constantFrom(...models), { maxLength: 60 }),
  });
  const property = fc.asyncProperty(situations, async ({ lines, done, atProvider, failsAfter, toggled }) => {
    const situation = { lines, done: new Set(done), atProvider: new Set(atProvider), failsAfter };
    const { reader, full, pass } = openReader(situation);
    const begun: number[] = [];
    const toggles = [...toggled];
    while (!reader.isAtEnd) {
      const line = await reader.next().catch(() => undefined);
      if (line !== undefined) {
        begun.push(line.number);
        if (!situation.atProvider.has(line.number)) expect(full.has(line.model)).toBe(false);
      }
      const toggle = toggles.shift();
      if (toggle === undefined) full.clear();
      else if (!full.delete(toggle)) full.add(toggle);
      pass(5_000);
    }
    expect(begun.sort((one, other) => one - other)).toEqual(all(lines).filter((line) => !situation.done.has(line)));
  });
  await fc.assert(property, { numRuns: 300 });
});

test('lines that a provider has come first, and are the only ones once the batch is stopped', async () => {
  const { reader, stop } = openReader({ lines: ['one', 'one', 'one', 'one'], atProvider: new Set([2, 4]) });
  expect((await reader.next())?.number).toBe(2);
  stop();
  expect((await reader.next())?.number).toBe(4);
  expect(await reader.next()).toBeUndefined();
  expect(reader.isAtEnd).toBe(true);
});

test('an input whose only model has no room is read to its end once, and is not read while there is none', async () => {
  const { reader, full, reads } = openReader({ lines: Array.from({ length: 100 }, () => 'one') });
  await reader.next();
  full.add('one');
  for (let call = 0; call < 10; call += 1) expect(await reader.next()).toBeUndefined();
  expect(reads()).toBe(1);
  for (let line = 2; line <= 100; line += 1) {
    full.delete('one');
    expect((await reader.next())?.number).toBe(line);
    full.add('one');
    expect(await reader.next()).toBeUndefined();
  }
  expect([reads(), reader.isAtEnd]).toEqual([2, true]);
});

test('a read that has failed is tried again after a pause', async () => {
  const { reader, pass, reads } = openReader({ lines: ['one', 'two'], failsAfter: [1] });
  expect((await reader.next())?.number).toBe(1);
  await expect(reader.next()).rejects.toThrow('the storage is away');
  expect(await reader.next()).toBeUndefined();
  expect([reads(), reader.isAtEnd]).toEqual([1, false]);
  pass(5_000);
  expect((await reader.next())?.number).toBe(2);
  expect(await reader.next()).toBeUndefined();
  expect(reader.isAtEnd).toBe(true);
});
