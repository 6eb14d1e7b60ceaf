/** Bodies are read within limits of size, total size and time by a real server, and aborted ones no longer count. */
import { afterAll, expect, test } from 'bun:test';
import { monotonicMs } from '../../../../shared/durations.ts';
import { GatewayError } from '../../../../shared/errors.ts';
import { Bodies, UploadAborted } from '../../../../shared/http/intake/bodies.ts';
import { type Body, smallMaxBytes } from '../../../../shared/http/intake/body.ts';
import { jsonLimits } from '../../../../shared/http/intake/json-scanner.ts';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { type RawConnection, rawConnection, requestHead } from '../../../harness/clients/raw-exchange.ts';

const mebibyte = 1_048_576;
const limits = { maxBytes: 4 * mebibyte, json: jsonLimits };
const bodies = new Bodies({ maxBytes: 12 * mebibyte });
const held: Body[] = [];
const aborted: unknown[] = [];
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  maxRequestBodySize: 100 * mebibyte,
  fetch: async (request) => {
    try {
      const body = await bodies.read(request, limits);
      held.push(body);
      return new Response(`${body.bytes} ${body.text.length}`);
    } catch (error) {
      if (error instanceof UploadAborted) aborted.push(error);
      const known = error instanceof GatewayError ? error : undefined;
      return new Response(known?.code, { status: known?.status ?? 500 });
    }
  },
});
const connections: RawConnection[] = [];

afterAll(async () => {
  for (const connection of connections) connection.close();
  bodies.stop();
  await server.stop(true);
});

const textOf = (bytes: number) => JSON.stringify({ text: 'a'.repeat(bytes - '{"text":""}'.length) });

async function send(body: string | ReadableStream): Promise<string> {
  const response = await fetch(server.url, { method: 'POST', body });
  return `${response.status} ${await response.text()}`;
}

const streamOf = (text: string) => new Response(text).body as ReadableStream;

function release(): void {
  for (const body of held.splice(0)) body.release();
}

/** Starts an upload and sends part of it. */
function upload({ announced, sent }: { announced: number; sent: number }) {
  const connection = rawConnection(server.url.href);
  connections.push(connection);
  connection.send(requestHead('POST /', { 'content-length': announced }) + 'a'.repeat(sent));
  return { ...connection, response: connection.until((text) => text.includes('_')) };
}

/** An upload that knows whether it has received a response. */
function observed(started: ReturnType<typeof upload>) {
  const state = { ...started, hasResponded: false };
  void started.response.then(() => {
    state.hasResponded = true;
  });
  return state;
}

/** Once this upload has its response, so have all uploads that should have received one earlier. */
async function sendAnother(): Promise<void> {
  expect(await send('{}')).toStartWith('200');
  release();
}

test('small and large bodies, announced or not, count until they are released, and only once', async () => {
  const sizes = [100, 65_537, 262_144, 262_145, mebibyte];
  for (const bytes of sizes) {
    expect(await send(textOf(bytes))).toBe(`200 ${bytes} ${bytes}`);
    expect(await send(streamOf(textOf(bytes)))).toBe(`200 ${bytes} ${bytes}`);
  }
  // A small body has three copies as text; a large one is kept as it arrived and as it is sent.
  const memory = sizes.map((bytes) => (bytes > smallMaxBytes ? 2 : 3) * bytes);
  expect(bodies.bytes).toBe(2 * memory.reduce((sum, bytes) => sum + bytes));
  for (const body of held) body.release();
  release();
  expect(bodies.bytes).toBe(0);
});

test('multi-byte characters in a body arrive intact', async () => {
  const text = JSON.stringify({ text: 'Привет, 世界 🎉'.repeat(20_000) });
  expect(await send(streamOf(text))).toBe(`200 ${Buffer.byteLength(text)} ${text.length}`);
  expect(held.at(-1)?.text).toBe(text);
  release();
});

test('a body beyond its own limit is refused, announced or not', async () => {
  expect(await send(textOf(limits.maxBytes + 1))).toBe('413 body_too_large');
  expect(await send(streamOf(textOf(limits.maxBytes + 1)))).toBe('413 body_too_large');
  expect(bodies.bytes).toBe(0);
});

test('a body above the limit for all bodies is refused with a retry until others are released', async () => {
  expect(await send(textOf(4 * mebibyte))).toStartWith('200');
  expect(await send(textOf(3 * mebibyte))).toBe('503 overloaded');
  expect(bodies.bytes).toBe(8 * mebibyte);
  release();
  expect(await send(textOf(3 * mebibyte))).toStartWith('200');
  release();
});

test('a body that is too complex is refused while it arrives', async () => {
  const deep = '['.repeat(100_000);
  expect(await send(deep)).toBe('400 body_too_complex');
  const waiting = observed(upload({ announced: 2 * mebibyte, sent: 0 }));
  const deeper = upload({ announced: 2 * mebibyte, sent: 0 });
  deeper.send('['.repeat(200_000));
  expect(await deeper.response).toContain('body_too_complex');
  await sendAnother();
  expect(waiting.hasResponded).toBe(false);
});

test.each([
  { announced: 1_000, sent: 100 },
  { announced: 2 * mebibyte, sent: mebibyte },
])('an upload of $announced bytes that stops at $sent is aborted, and no longer counts', async (part) => {
  const before = bodies.bytes;
  const { response } = upload(part);
  await waitFor('the upload', guardTimeoutMs, async () => bodies.bytes > before);
  const now = monotonicMs();
  bodies.sweep(now + 9_000);
  expect(bodies.bytes).toBeGreaterThan(before);
  bodies.sweep(now + 20_000);
  bodies.sweep(now + 31_000);
  expect(await response).toContain('request_timeout');
  await waitFor('its bytes', guardTimeoutMs, async () => bodies.bytes === before);
});

test('a trickling upload is aborted however long it has been running, and a steady one is not', async () => {
  const trickling = observed(upload({ announced: 4 * mebibyte, sent: 0 }));
  const moving = observed(upload({ announced: 4 * mebibyte, sent: 0 }));
  let now = monotonicMs();
  for (let step = 1; step <= 3 && !trickling.hasResponded; step += 1) {
    const before = bodies.bytes;
    trickling.send('a'.repeat(1_000));
    moving.send('a'.repeat(mebibyte));
    await waitFor(
      'both to arrive',
      guardTimeoutMs,
      async () => bodies.bytes >= before + mebibyte || trickling.hasResponded,
    );
    now += 10_001;
    bodies.sweep(now);
  }
  expect(await trickling.response).toContain('request_timeout');
  await sendAnother();
  expect(moving.hasResponded).toBe(false);
  const abortedBefore = aborted.length;
  moving.close();
  await waitFor('its end', guardTimeoutMs, async () => aborted.length > abortedBefore);
});

test('a client that leaves during its upload causes no error, and its bytes are released', async () => {
  const before = { bytes: bodies.bytes, aborted: aborted.length };
  const large = upload({ announced: 2 * mebibyte, sent: 100_000 });
  const small = upload({ announced: 1_000, sent: 100 });
  await waitFor('both uploads', guardTimeoutMs, async () => bodies.bytes >= before.bytes + 101_000);
  large.close();
  small.close();
  await waitFor('both to be noticed', guardTimeoutMs, async () => aborted.length === before.aborted + 2);
  expect(bodies.bytes).toBe(before.bytes);
});
