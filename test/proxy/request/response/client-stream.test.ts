/** The client's end of a stream, through a real server and real clients. */
import { afterEach, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { ClientStream, type ClientStreamOptions } from '../../../../proxy/request/response/client-stream.ts';

const decoder = new TextDecoder();
const intervalMs = 10;
const stops: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

type Write = (client: ClientStream) => Promise<void>;

/** Serves a body that `write` writes. */
function serve(write: Write, options: ClientStreamOptions = { intervalMs }) {
  const body = () =>
    new ReadableStream({
      type: 'direct',
      pull: async (controller) => {
        const client = new ClientStream(controller, options);
        stops.push(() => client.stop());
        await write(client);
      },
    });
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 0, fetch: () => new Response(body()) });
  stops.push(() => server.stop(true));
  return server;
}

/** Sends a request, and does not read until it is resumed. */
async function pausedReader(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  stops.push(() => void socket.destroy());
  socket.pause();
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  socket.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n');
  return socket;
}

test('a silent stream gets comments between its chunks, which arrive whole and in order', async () => {
  const turns = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const server = serve(async (client) => {
    for (const [index, { promise }] of turns.entries()) {
      client.write(`data: ${index}\n\n`);
      await promise;
    }
    client.close('data: end\n\n');
  });
  let text = '';
  let turn = 0;
  for await (const bytes of (await fetch(server.url)).body ?? []) {
    text += decoder.decode(bytes);
    const pings = text.split(`data: ${turn}\n\n`)[1]?.split(': ping\n\n').length ?? 0;
    // Wait for three comments since the last chunk.
    if (pings <= 3) continue;
    turns[turn]?.resolve();
    turn += 1;
  }
  const data = ['0', '1', '2', '3', 'end'].map((each) => `data: ${each}\n\n`);
  expect(text.replaceAll(': ping\n\n', '')).toBe(data.join(''));
});

test('a stream that has been silent before gets its first comment immediately', async () => {
  const end = Promise.withResolvers<void>();
  const server = serve(() => end.promise, { intervalMs: 60_000, silentMs: 60_000 });
  const reader = (await fetch(server.url)).body?.getReader();
  expect(decoder.decode((await reader?.read())?.value)).toBe(': ping\n\n');
  end.resolve();
});

test('a silent stream without a place for comments gets none', async () => {
  const server = serve(
    async (client) => {
      client.write('sound');
      await Bun.sleep(intervalMs * 5);
      client.close('and more');
    },
    { intervalMs, pings: false },
  );
  expect(await (await fetch(server.url)).text()).toBe('soundand more');
});

test('a stream without pauses gets no comments', async () => {
  const server = serve(
    async (client) => {
      for (let chunk = 0; chunk < 1_000; chunk += 1) await client.write(`data: ${chunk}\n\n`);
      client.close('data: end\n\n');
    },
    { intervalMs: 60_000 },
  );
  const text = await (await fetch(server.url)).text();
  expect(text).toEndWith('data: 999\n\ndata: end\n\n');
  expect(text).not.toContain('ping');
});

test('a client that pauses gets all chunks when it reads again, and no accumulated comments', async () => {
  const chunk = `data: ${'x'.repeat(65_536)}\n\n`;
  const hasBacklog = Promise.withResolvers<void>();
  let written = 0;
  const server = serve(async (client) => {
    for (let backlog: Promise<void> | undefined; written < 500; written += 1) {
      backlog = client.write(chunk);
      if (backlog !== undefined) {
        hasBacklog.resolve();
        await backlog;
      }
    }
    client.close('data: end\n\n');
  });
  const socket = await pausedReader(server.port ?? 0);
  await hasBacklog.promise;
  const writtenThen = written;
  for (let interval = 0; interval < 5; interval += 1) await Bun.sleep(intervalMs);
  // The kernel buffers a few chunks at both ends; far fewer than all.
  expect(writtenThen).toBeLessThan(400);
  expect(written).toBe(writtenThen);
  const chunks: Buffer[] = [];
  const ended = new Promise<void>((resolve) => {
    socket.on('data', (bytes: Buffer) => {
      chunks.push(bytes);
      if (bytes.toString().endsWith('0\r\n\r\n')) resolve();
    });
  });
  socket.resume();
  await ended;
  const text = Buffer.concat(chunks).toString();
  expect(text.split(chunk).length - 1).toBe(500);
  expect(text).toContain('data: end\n\n');
  expect(text.split(': ping').length - 1).toBe(0);
});

test('a write does not wait for a client that has left', async () => {
  const hasBacklog = Promise.withResolvers<void>();
  const isOver = Promise.withResolvers<void>();
  const server = serve(async (client) => {
    const chunk = 'x'.repeat(65_536);
    for (let written = 0; written < 1_000; written += 1) {
      const backlog = client.write(chunk);
      if (backlog === undefined) continue;
      hasBacklog.resolve();
      await backlog;
    }
    isOver.resolve();
  });
  const socket = await pausedReader(server.port ?? 0);
  await hasBacklog.promise;
  socket.destroy();
  await isOver.promise;
});
