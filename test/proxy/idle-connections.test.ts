/**
 * How long the proxy keeps an idle connection: the server itself with a short limit, a real Redis, and hand-written
 * HTTP clients. A connection that only idles shows when the limit has passed.
 */
import { afterAll, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { startScriptedProvider, streamedResponse, wholeResponse } from '../harness/providers/scripted-provider.ts';
import { testCatalogue } from '../harness/providers/test-catalogue.ts';
import { startHarness } from '../harness.ts';

/** Two of Bun's steps, the shortest limit that an active stream can survive. */
const idleSeconds = 8;
const everyMs = 250;
/** Bun treats an upload of less than 16 KB per second as idle. */
const uploadStepBytes = 16_384;
const uploadBytes = 8_000_000;
const usage = { promptTokens: 10, completionTokens: 1 };
const probe = 'GET /healthz HTTP/1.1\r\nhost: test\r\n\r\n';

const harness = await startHarness();
const provider = startScriptedProvider();
await harness.applyCatalogue(testCatalogue(provider.baseUrl));
await harness.openAdmin();
const proxy = await harness.openProxy({}, { idleSeconds });
const customer = await harness.createCustomer({ usd: '10' });
const sockets: Socket[] = [];

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await provider.stop();
  await harness.stop();
});

test('a connection is closed once idle, after a response, a stream, an error or a probe', async () => {
  provider.on('upstream-chat', wholeResponse({ usage }));
  provider.on('upstream-priced', streamedResponse({ tokens: 3 }));
  const connections = await Promise.all(
    [
      post({ model: 'test/chat' }),
      post({ model: 'test/priced-output', stream: true }),
      post({ model: 'test/no-such-model' }),
      probe,
    ].map((request) => ask(request)),
  );
  await Promise.all(connections.map(({ closed }) => closed));
  expect(connections.map(({ text }) => text.slice(9, 12))).toEqual(['200', '200', '404', '200']);
  expect(connections[1]?.text).toContain('data: [DONE]');
});

test('a waiting request, a stream and a long upload outlive the limit, and a stalled upload does not', async () => {
  const over = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  provider.on('upstream-chat', async (truth, request) => {
    arrived.resolve();
    await over.promise;
    return wholeResponse({ usage })(truth, request);
  });
  provider.on('upstream-priced', streamedResponse({ tokens: 1_000_000, delayMs: everyMs }));
  // The second request of a connection that already has the limit.
  const waiting = await ask(probe);
  await waiting.has('"ok"');
  waiting.socket.write(post({ model: 'test/chat' }));
  const stream = await ask(post({ model: 'test/priced-output', stream: true }));
  const request = post({ model: 'test/chat', user: 'u'.repeat(uploadBytes) });
  const [upload, stalled] = await Promise.all([ask(request.slice(0, 1_000)), ask(request.slice(0, 1_000))]);
  let sent = 1_000;
  const sending = setInterval(() => {
    upload.socket.write(request.slice(sent, sent + uploadStepBytes));
    sent += uploadStepBytes;
  }, everyMs);
  await Promise.all([arrived.promise, stream.has('"000"')]);

  await Promise.all([limitIsOver(), stalled.closed]);
  clearInterval(sending);
  const streamed = stream.text.length;
  await waitFor('more of the stream', guardTimeoutMs, async () => stream.text.length > streamed);
  over.resolve();
  upload.socket.write(request.slice(sent));
  await Promise.all([waiting.has('chat.completion'), upload.has('chat.completion')]);
  stream.socket.destroy();
});

test('a client that does not read its whole response is disconnected', async () => {
  const content = 'word '.repeat(6_000_000);
  provider.on('upstream-chat', wholeResponse({ content, usage }));
  const client = await ask(post({ model: 'test/chat' }), { takesOnlyTheBeginning: true });
  await client.has('HTTP/1.1 200');
  await limitIsOver();
  // The kernels at both ends may have buffered a part of it.
  await limitIsOver();
  client.socket.resume();
  await client.closed;
  expect(client.text).toStartWith('HTTP/1.1 200');
  expect(client.text.length).toBeLessThan(content.length);
  expect(proxy.running()).toBe(0);
});

interface Connection {
  readonly socket: Socket;
  /** Everything received. */
  readonly text: string;
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<void>;
  has(part: string): Promise<void>;
}

async function ask(request: string, { takesOnlyTheBeginning = false } = {}): Promise<Connection> {
  const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1');
  sockets.push(socket);
  // A reset is also an end.
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  if (takesOnlyTheBeginning) socket.once('data', () => socket.pause());
  const connection = {
    socket,
    text: '',
    closed,
    has: async (part: string) => {
      const came = () => connection.text.includes(part);
      await waitFor(part, guardTimeoutMs, async () => came() || (socket.destroyed && 'closed'));
      if (!came()) throw new Error(`the connection was closed before ${part}`);
    },
  };
  socket.on('data', (bytes: Buffer) => {
    connection.text += bytes.toString();
  });
  socket.write(request);
  return connection;
}

/** When a connection that became idle later has been closed, every earlier one is beyond the limit. */
async function limitIsOver(): Promise<void> {
  await (await ask(probe)).closed;
}

function post(body: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify({ max_tokens: 100, messages: [{ role: 'user', content: 'Hello?' }], ...body });
  return (
    `POST /v1/chat/completions HTTP/1.1\r\nhost: test\r\nauthorization: Bearer ${customer.proxyKey}\r\n` +
    `content-length: ${text.length}\r\n\r\n${text}`
  );
}
