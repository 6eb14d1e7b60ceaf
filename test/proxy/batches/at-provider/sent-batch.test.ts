/** A batch at a provider whose calls are scripted: each line gets its own response once, or fails, however calls end. */
import { afterEach, expect, jest, mock, spyOn, test } from 'bun:test';
import fc from 'fast-check';
import pino from 'pino';
import { ProviderRoom } from '../../../../proxy/batches/at-provider/provider-room.ts';
import { SentBatch } from '../../../../proxy/batches/at-provider/sent-batch.ts';
import { readText } from '../../../../proxy/nouns/read-text.ts';
import { UpstreamFailure } from '../../../../proxy/nouns/upstream-failure.ts';
import type { Deployment } from '../../../../proxy/pricing/catalogue.ts';
import type { BatchApi, LineResponse } from '../../../../proxy/providers/batch-api.ts';

const log = pino({ enabled: false });
const deployment = { name: 'scripted/upstream' } as Deployment;
const never = new AbortController().signal;
const responseTo = (number: number): LineResponse => ({ number, status: 200, body: `"${number}"` });

interface Script extends Partial<BatchApi> {
  readonly lines: number;
  readonly giveUpAtMs?: number;
  readonly responseRoom?: ProviderRoom;
}

const ample = { lines: 1_000, bytes: 1_000_000 } as const;

function sentBatch({
  lines,
  giveUpAtMs = Number.POSITIVE_INFINITY,
  responseRoom = new ProviderRoom(ample),
  ...api
}: Script) {
  const over: number[] = [];
  const calls: BatchApi = {
    create: () => Promise.reject(new Error('it is sent already')),
    hasEnded: async () => true,
    cancel: async () => {},
    responses: async function* () {},
    remove: async () => {},
    ...api,
  };
  const numbers = new Set(Array.from({ length: lines }, (_, index) => index + 1));
  const sent = new SentBatch({
    ...{ api: calls, log, deployment, id: 'batch_1', lines: numbers, responseRoom, giveUpAtMs },
    onOver: (line) => void over.push(line),
  });
  return { sent, over };
}

afterEach(() => {
  jest.useRealTimers();
  mock.restore();
});

const textOf = async (response: ReturnType<SentBatch['response']>) => readText(await response, { maxBytes: 100 });

test('any lines in any order, of which some wait later, get their own responses and no others', async () => {
  const drawn = fc.array(fc.record({ hasResponse: fc.boolean(), waitsLater: fc.boolean() }), {
    minLength: 1,
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(drawn, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), async (lines, order) => {
      const withResponse = lines.flatMap(({ hasResponse }, index) => (hasResponse ? [index + 1] : []));
      const shuffled = withResponse
        .map((number) => ({ number, at: order.next().value ?? 0 }))
        .sort((one, other) => one.at - other.at);
      const { sent, over } = sentBatch({
        lines: lines.length,
        responses: async function* () {
          for (const { number } of shuffled) yield responseTo(number);
        },
      });
      const begin = (number: number) =>
        textOf(sent.response(number, never)).then(
          (text) => ({ number, text }),
          () => ({ number, text: undefined }),
        );
      const early = lines.flatMap(({ waitsLater }, index) => (waitsLater ? [] : [begin(index + 1)]));
      const first = await Promise.all(early);
      for (const { number } of first) sent.lineEnded(number);
      const late = lines.flatMap(({ waitsLater }, index) => (waitsLater ? [begin(index + 1)] : []));
      const results = [...first, ...(await Promise.all(late))];
      expect(results.sort((one, other) => one.number - other.number)).toEqual(
        lines.map(({ hasResponse }, index) => ({
          number: index + 1,
          text: hasResponse ? `"${index + 1}"` : undefined,
        })),
      );
      expect(over.sort((one, other) => one - other)).toEqual(lines.map((_, index) => index + 1));
      expect(lines.some((_, index) => sent.has(index + 1))).toBe(false);
      sent.close();
    }),
    { numRuns: 5 },
  );
});

test('what the provider has not run in its time is cancelled there, and what it has run is read', async () => {
  let isCancelled = false;
  const { sent } = sentBatch({
    lines: 2,
    giveUpAtMs: Date.now() + 100,
    hasEnded: async () => isCancelled,
    cancel: async () => {
      isCancelled = true;
    },
    responses: async function* () {
      yield responseTo(1);
    },
  });
  const [first, second] = [sent.response(1, never), sent.response(2, never)];
  const failed = second.catch((error: unknown) => error);
  expect(await textOf(first)).toBe('"1"');
  expect(await failed).toBeInstanceOf(UpstreamFailure);
});

test('a batch that the provider does not know any more brings nothing', async () => {
  const { sent } = sentBatch({
    lines: 1,
    hasEnded: () => Promise.reject(new UpstreamFailure('refused', 'gone', { status: 404 })),
  });
  expect(await sent.response(1, never).catch((error: unknown) => error)).toBeInstanceOf(UpstreamFailure);
});

test('calls that fail are made again', async () => {
  let failures = 3;
  const fail = () => {
    failures -= 1;
    if (failures >= 0) throw new UpstreamFailure('unreachable', 'scripted');
  };
  const { sent } = sentBatch({
    lines: 2,
    hasEnded: async () => {
      if (failures > 1) fail();
      return failures <= 1;
    },
    responses: async function* () {
      yield responseTo(1);
      fail();
      yield responseTo(2);
    },
  });
  expect(await Promise.all([textOf(sent.response(1, never)), textOf(sent.response(2, never))])).toEqual(['"1"', '"2"']);
});

test('once it is closed, those that wait fail and may wait for it elsewhere', async () => {
  const { sent, over } = sentBatch({ lines: 1, hasEnded: async () => false });
  const waiting = sent.response(1, never).catch((error: unknown) => error);
  sent.close();
  expect(await waiting).toBeInstanceOf(UpstreamFailure);
  expect(over).toEqual([]);
  expect(sent.has(1)).toBe(false);
});

test('a request that is aborted no longer waits', async () => {
  const { sent } = sentBatch({ lines: 1, hasEnded: async () => false });
  const aborting = new AbortController();
  const waiting = sent.response(1, aborting.signal).catch((error: unknown) => error);
  aborting.abort('shutting_down');
  expect(await waiting).toBe('shutting_down');
  expect(sent.has(1)).toBe(true);
  sent.close();
});

test('a cancel during a look is sent after it, without a pause', async () => {
  jest.useFakeTimers();
  const look = Promise.withResolvers<boolean>();
  const cancelled: string[] = [];
  const { sent } = sentBatch({
    lines: 1,
    hasEnded: () => look.promise,
    cancel: async (id) => void cancelled.push(id),
  });
  sent.cancel();
  look.resolve(false);
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  expect(cancelled).toEqual(['batch_1']);
  sent.close();
});

test('a provider that does not cancel within 15 minutes is no longer waited for', async () => {
  const { sent } = sentBatch({ lines: 2, hasEnded: async () => false });
  const failed = sent.response(1, never).catch((error: unknown) => error);
  sent.cancel();
  expect(sent.has(2)).toBe(true);
  const startedAtMs = performance.now();
  spyOn(performance, 'now').mockImplementation(() => startedAtMs + 15 * 60_000 + 1);
  expect(await failed).toBeInstanceOf(UpstreamFailure);
  expect(sent.has(2)).toBe(false);
  sent.close();
});

test('no more responses are with their lines than there is room for, however large each is', async () => {
  const [linesMax, bytesMax] = [5, 100];
  const sizes = fc.array(fc.array(fc.integer({ min: 2, max: 150 }), { minLength: 1, maxLength: 12 }), {
    minLength: 1,
    maxLength: 3,
  });
  const property = fc.asyncProperty(sizes, async (batches) => {
    const responseRoom = new ProviderRoom({ lines: linesMax, bytes: bytesMax });
    const inside: number[] = [];
    const run = async (lengths: readonly number[]) => {
      const { sent } = sentBatch({
        lines: lengths.length,
        responseRoom,
        responses: async function* () {
          for (const [index, length] of lengths.entries()) {
            yield { number: index + 1, status: 200, body: `"${'x'.repeat(length - 2)}"` };
          }
        },
      });
      await Promise.all(
        lengths.map(async (length, index) => {
          await sent.response(index + 1, never);
          inside.push(length);
          expect(inside.length).toBeLessThanOrEqual(linesMax);
          if (inside.length > 1) expect(inside.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(bytesMax);
          // Stored some turns later.
          for (let turn = 0; turn < length; turn += 1) await Promise.resolve();
          inside.splice(inside.indexOf(length), 1);
          sent.lineEnded(index + 1);
        }),
      );
      sent.close();
    };
    await Promise.all(batches.map(run));
    expect(responseRoom.lines).toBe(0);
  });
  await fc.assert(property, { numRuns: 10 });
});

test('a batch that is closed while a response waits for room leaves its line to the next proxy', async () => {
  const responseRoom = new ProviderRoom({ lines: 1, bytes: 100 });
  const { sent, over } = sentBatch({
    lines: 2,
    responseRoom,
    responses: async function* () {
      yield* [responseTo(1), responseTo(2)];
    },
  });
  const [first, second] = [sent.response(1, never), sent.response(2, never).catch((error: unknown) => error)];
  await first;
  sent.close();
  expect(await second).toBeInstanceOf(UpstreamFailure);
  expect(over).toEqual([1]);
  sent.lineEnded(1);
  expect(responseRoom.lines).toBe(0);
});
