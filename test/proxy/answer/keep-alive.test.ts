/** Comments in silent streams, through a real server and a real client. */
import { expect, test } from 'bun:test';
import { type PulledSource, withPings } from '../../../proxy/answer/keep-alive.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const intervalMs = 10;

async function served(source: PulledSource, read: (response: Response) => Promise<void>): Promise<void> {
  const body = () => new ReadableStream(withPings(source, { intervalMs }), { highWaterMark: 0 });
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 0, fetch: () => new Response(body()) });
  try {
    await read(await fetch(server.url));
  } finally {
    await server.stop(true);
  }
}

/** Gives the pieces that the test hands over, one a pull. */
function handedOver() {
  const waiting: ((piece: string | undefined) => void)[] = [];
  const pieces: Promise<string | undefined>[] = [];
  const slot = () => pieces.push(new Promise((resolve) => waiting.push(resolve)));
  let cancelled = false;
  const source: PulledSource = {
    pull: async (controller) => {
      if (pieces.length === 0) slot();
      const piece = await pieces.shift();
      if (piece === undefined) {
        controller.close();
        return false;
      }
      controller.enqueue(encoder.encode(piece));
      return true;
    },
    cancel: () => {
      cancelled = true;
    },
  };
  const hand = (piece: string | undefined) => {
    if (waiting.length === 0) slot();
    waiting.shift()?.(piece);
  };
  return { source, hand, isCancelled: () => cancelled };
}

test('a silent stream gets comments between its pieces, and its pieces come whole and in order', async () => {
  const { source, hand } = handedOver();
  await served(source, async (response) => {
    let text = '';
    let handed = 0;
    hand('data: 0\n\n');
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes);
      const pings = text.split(`data: ${handed}\n\n`)[1]?.split(': ping\n\n').length ?? 0;
      // Three comments have come since the last piece.
      if (pings <= 3) continue;
      handed += 1;
      hand(handed < 4 ? `data: ${handed}\n\n` : undefined);
    }
    expect(text.replaceAll(': ping\n\n', '')).toBe('data: 0\n\ndata: 1\n\ndata: 2\n\ndata: 3\n\n');
  });
});

test('a stream that has been silent before gets its first comment at once', async () => {
  const { source } = handedOver();
  const silent = withPings(source, { intervalMs: 60_000, silentMs: 60_000 });
  const reader = new ReadableStream(silent, { highWaterMark: 0 }).getReader();
  expect(decoder.decode((await reader.read()).value)).toBe(': ping\n\n');
  await reader.cancel();
});

test('a stream that flows gets none', async () => {
  let piece = 0;
  const source: PulledSource = {
    pull: async (controller) => {
      piece += 1;
      controller.enqueue(encoder.encode(`data: ${piece}\n\n`));
      if (piece < 1_000) return true;
      controller.close();
      return false;
    },
    cancel: () => {},
  };
  await served(source, async (response) => expect(await response.text()).not.toContain('ping'));
});

test('a reader that does not read is given no comments that pile up', async () => {
  const { source, hand } = handedOver();
  const wrapped = withPings(source, { intervalMs });
  const stream = new ReadableStream(wrapped, { highWaterMark: 0 });
  const reader = stream.getReader();
  const first = reader.read();
  expect(decoder.decode((await first).value)).toBe(': ping\n\n');
  // Now nobody reads; after several intervals there is one comment waiting at most.
  for (let interval = 0; interval < 5; interval += 1) await Bun.sleep(intervalMs);
  hand('data: 1\n\n');
  hand(undefined);
  let text = '';
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) text += decoder.decode(piece.value);
  expect(text).toBe(': ping\n\ndata: 1\n\n');
});

test('a reader that leaves ends the source, and no timer is left that writes to it', async () => {
  const { source, isCancelled } = handedOver();
  const reader = new ReadableStream(withPings(source, { intervalMs }), { highWaterMark: 0 }).getReader();
  await reader.read();
  await reader.cancel();
  expect(isCancelled()).toBe(true);
});
