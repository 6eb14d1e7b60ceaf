/** Long responses are produced as they are read: clients that read slowly, or stop, cost no memory and no work. */
import { afterAll, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { streamText } from '../../../admin/http/download.ts';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';

const chunk = 'x'.repeat(64 * 1024);
const chunksMax = 4_000;
let made = 0;
let closed = 0;

async function* chunks(): AsyncGenerator<string, void> {
  try {
    for (let index = 0; index < chunksMax; index += 1) {
      made += 1;
      // Yields to the event loop, as a query would.
      await new Promise((resolve) => setImmediate(resolve));
      yield chunk;
    }
  } finally {
    closed += 1;
  }
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: async () => new Response(await streamText(chunks())),
});
afterAll(() => server.stop(true));

test('nothing is produced for a client that does not read, and a disconnect ends the work', async () => {
  const socket = connect({ host: '127.0.0.1', port: server.port ?? 0 });
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  let before = -1;
  await waitFor('the writer to wait for the reader', guardTimeoutMs, async () => {
    const same = made > 0 && made === before;
    before = made;
    await Bun.sleep(250);
    return same && made === before;
  });
  // The sockets' buffers: some megabytes of the 250.
  expect(made).toBeLessThan(chunksMax / 4);
  expect(closed).toBe(0);
  socket.destroy();
  await waitFor('the work to end', guardTimeoutMs, async () => closed === 1);
});

test('a failure before the first chunk is thrown to the caller', async () => {
  // biome-ignore lint/correctness/useYield: it fails before it could
  async function* failing(): AsyncGenerator<string, void> {
    throw new Error('no first page');
  }
  await expect(streamText(failing())).rejects.toThrow('no first page');
});

test('every chunk is delivered, in order', async () => {
  async function* words(): AsyncGenerator<string, void> {
    yield 'один,';
    yield '';
    yield 'два';
  }
  expect(await new Response(await streamText(words())).text()).toBe('один,два');
});
