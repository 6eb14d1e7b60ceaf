/** The client for providers, with servers that close, stall, send more than they should, or do not answer at all. */
import { heapStats } from 'bun:jsc';
import { describe, expect, spyOn, test } from 'bun:test';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { HttpResponse } from '../../../../../proxy/nouns/http-response.ts';
import { blobOf, type UpstreamRequest } from '../../../../../proxy/providers/adapter.ts';
import { guardTimeoutMs } from '../../../../harness/account-view.ts';
import { SeededRandom } from '../../../../harness/seeded-random.ts';
import { bytesOf, client, post, server, startForEachTest, unaborted, until } from './client-and-server.ts';
import { RawServer } from './raw-server.ts';

startForEachTest();

const textOf = async (response: HttpResponse) => (await bytesOf(response)).toString();
const postText = async (body?: string) => textOf(await post(body));

/** Halves of characters are replaced, as by every encoder. */
const texts = ['{"text":"', 'a', '\u0000', '\u007f', '\u0080', 'я', '€', '🙂', '\ud83d', '\ude42', '"}'];
const bodyBytesMax = 700_000;

function randomBody(random: SeededRandom): UpstreamRequest['body'] {
  const part = (): string | Uint8Array => {
    const size = Math.floor(bodyBytesMax ** random.next() / 3);
    if (random.chance(0.1)) return new Uint8Array(size).fill(random.integer(0, 255));
    const text = Array.from({ length: random.integer(1, 5) }, () => random.pick(texts)).join('');
    return text.repeat(Math.ceil(size / text.length));
  };
  const parts = Array.from({ length: random.integer(0, 4) }, part);
  return random.chance(0.1) ? blobOf(parts) : random.chance(0.2) ? String(parts[0] ?? '') : parts;
}

/** The kernel of this machine takes a whole body at once; a distant server leaves less room. */
function narrowSockets(random: SeededRandom) {
  const { connect } = Bun;
  type Connect = (options: Bun.TCPSocketConnectOptions<unknown>) => Promise<Bun.Socket<unknown>>;
  const narrow: Connect = (options) => {
    const { open, drain } = options.socket;
    const narrowed = (socket: Bun.Socket<unknown>) => {
      const write = socket.write.bind(socket) as (bytes: Uint8Array) => number;
      socket.write = (bytes: Uint8Array) => {
        if (random.chance(0.5)) return write(bytes);
        setImmediate(() => drain?.(socket));
        return write(bytes.subarray(0, random.integer(0, bytes.length - 1)));
      };
      return open?.(socket);
    };
    return connect({ ...options, socket: { ...options.socket, open: narrowed } });
  };
  return spyOn(Bun, 'connect').mockImplementation(narrow as typeof connect);
}

describe('a request', () => {
  test('is sent as it is, with its length in bytes', async () => {
    expect(await postText('{"text":"Привет 🙂"}')).toBe('ok');
    const [{ head, body } = { head: '', body: '' }] = server.requests;
    expect(head.split('\r\n')).toEqual([
      'POST /v1/chat?a=b HTTP/1.1',
      `host: 127.0.0.1:${server.port}`,
      'content-length: 28',
      'accept: */*',
      'accept-encoding: identity',
      'user-agent: model-gateway',
      'authorization: Bearer key',
      'content-type: application/json',
    ]);
    expect(body.toString()).toBe('{"text":"Привет 🙂"}');
  });

  test('has its own fields instead of the usual ones', async () => {
    const own = { accept: 'text/event-stream', 'user-agent': 'another' };
    await client.post({ url: server.url(), headers: own, body: '' }, { signal: unaborted() });
    expect(server.requests[0]?.head.match(/^(accept|user-agent): .*/gm)?.sort()).toEqual([
      'accept: text/event-stream',
      'user-agent: another',
    ]);
  });

  test('may be a large blob, and a large text', async () => {
    const large = 'я'.repeat(4_000_000);
    for (const body of [new Blob([large]), large]) {
      expect(await textOf(await post(body))).toBe('ok');
      expect(server.requests.at(-1)?.body.equals(Buffer.from(large))).toBe(true);
    }
    expect(server.connections).toBe(1);
  });

  test('may be parts of text and bytes, of which sockets take a part at a time', async () => {
    const random = new SeededRandom(1);
    using connecting = narrowSockets(random);
    for (let round = 0; round < 25; round += 1) {
      const sent = Array.from({ length: 8 }, () => randomBody(random));
      const answers = sent.map(async (body) =>
        textOf(await post(body, { signal: AbortSignal.timeout(guardTimeoutMs) })),
      );
      expect(await Promise.all(answers)).toEqual(sent.map(() => 'ok'));
      const received = server.requests.splice(0).map(({ body }) => Bun.hash(body));
      const expected = await Promise.all(sent.map(async (body) => Bun.hash(await blobOf(body).bytes())));
      expect(received.sort()).toEqual(expected.sort());
    }
    expect(connecting).toHaveBeenCalledTimes(8);
  });

  test.each([
    ['a value with a line end', { 'x-key': 'a\r\nx-more: b' }],
    ['a value that is not ASCII', { 'x-key': 'ключ' }],
    ['a name with a blank', { 'x key': 'a' }],
    ['an empty name', { '': 'a' }],
  ])('is not sent with %s', async (_what, wrong) => {
    const sent = client.post({ url: server.url(), headers: wrong, body: '' }, { signal: unaborted() });
    await expect(sent).rejects.toThrow(TypeError);
    expect(server.requests).toEqual([]);
  });

  test('goes to an address of IPv6', async () => {
    const other = await RawServer.start({ host: '::1' }).catch(() => undefined);
    if (other === undefined) return console.info('skipped: this machine has no IPv6');
    expect(await textOf(await post('{}', { url: other.url('[::1]') }))).toBe('ok');
    await other.stop();
  });
});

describe('a connection', () => {
  test('is used by one request after the other, and only by one at a time', async () => {
    for (let count = 0; count < 10; count += 1) expect(await postText()).toBe('ok');
    expect(server.connections).toBe(1);
    await Promise.all(Array.from({ length: 5 }, () => postText()));
    expect(server.connections).toBe(5);
  });

  test.each([
    ['that the server is about to close', 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok'],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok'],
  ])('%s is not used again', async (_which, answer) => {
    server.answer = (_request, socket) => socket.write(answer);
    expect(await postText()).toBe('ok');
    expect(await postText()).toBe('ok');
    expect(server.connections).toBe(2);
  });

  test('on which something comes unasked is closed, and what came is never an answer', async () => {
    expect(await postText()).toBe('ok');
    const [idle] = server.open;
    idle?.write('HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\npoison!');
    await until(() => server.open.size === 0);
    expect(await postText()).toBe('ok');
    expect(server.connections).toBe(2);
  });

  test('on which more comes than was announced is closed', async () => {
    server.answer = (_request, socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\n');
    await postText().catch(() => {});
    await until(() => server.open.size === 0);
  });

  test('whose answer came before the request was sent is not used again', async () => {
    server.answer = () => {};
    const early = await RawServer.start();
    const responding = post(new Blob(['x'.repeat(20_000_000)]), { url: early.url() });
    await until(() => early.open.size === 1);
    const [socket] = early.open;
    socket?.pause();
    socket?.write('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n');
    const response = await responding;
    expect(response.status).toBe(413);
    socket?.resume();
    await until(() => early.open.size === 0);
    await early.stop();
  });

  test('that is closed while idle is not used', async () => {
    expect(await postText()).toBe('ok');
    for (const socket of server.open) socket.end();
    await until(() => server.open.size === 0);
    expect(await postText()).toBe('ok');
    expect(server.requests).toHaveLength(2);
  });
});

describe('a request is sent once more', () => {
  test('if the server closes an idle connection at that moment, and never twice', async () => {
    expect(await postText()).toBe('ok');
    server.answer = ({ connection }, socket) => {
      if (connection === 1) socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nagain');
    };
    expect(await postText()).toBe('again');
    expect(server.requests).toHaveLength(3);
    server.answer = (_request, socket) => socket.destroy();
    await expect(postText()).rejects.toThrow();
    expect(server.requests).toHaveLength(5);
  });

  test('but not after the first byte of an answer', async () => {
    expect(await postText()).toBe('ok');
    server.answer = (_request, socket) => socket.end('H');
    await expect(postText()).rejects.toThrow('closed before the end');
    expect(server.requests).toHaveLength(2);
  });

  test('but not if its server has worked on it for a while', async () => {
    expect(await postText()).toBe('ok');
    server.answer = (_request, socket) => void setTimeout(() => socket.destroy(), 1_100);
    await expect(postText()).rejects.toThrow();
    expect(server.requests).toHaveLength(2);
  });

  test('but not on a new connection', async () => {
    server.answer = (_request, socket) => socket.destroy();
    await expect(postText()).rejects.toThrow();
    expect(server.requests).toHaveLength(1);
  });
});

describe('a server that', () => {
  const answers: readonly (readonly [what: string, answer: string])[] = [
    ['breaks off inside the head', 'HTTP/1.1 200 OK\r\nConte'],
    ['breaks off inside the body', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'],
    ['breaks off between chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n'],
  ];
  for (const how of ['end', 'destroy'] as const) {
    test.each(answers)(`%s (${how}) is an error, after what came before`, async (_what, answer) => {
      server.answer = (_request, socket) => void socket.write(answer, () => socket[how]());
      await expect(postText()).rejects.toThrow();
    });
  }

  test('sends a byte at a time is understood', async () => {
    const answer = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n';
    server.answer = async (_request, socket) => {
      socket.setNoDelay(true);
      for (const byte of Buffer.from(answer)) {
        socket.write(Buffer.from([byte]));
        await Bun.sleep(0);
      }
    };
    expect(await postText()).toBe('abcde');
  });

  test('says the end by closing is understood', async () => {
    server.answer = (_request, socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nuntil the end');
    expect(await postText()).toBe('until the end');
  });

  test('does not exist is an error', async () => {
    const gone = await RawServer.start();
    const url = gone.url();
    await gone.stop();
    await expect(post('{}', { url })).rejects.toThrow();
    await expect(post('{}', { url: 'http://does-not-exist.invalid/' })).rejects.toThrow();
  });

  test('sends faster than its response is read has to wait', async () => {
    const size = 64 * 1024 * 1024;
    let written = 0;
    server.answer = (_request, socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
      const piece = Buffer.alloc(64 * 1024, 'x');
      const write = () => {
        while (written < size) {
          written += piece.length;
          if (!socket.write(piece)) return;
        }
      };
      socket.on('drain', write);
      write();
    };
    const response = await post();
    let before = -1;
    while (written !== before) {
      before = written;
      await Bun.sleep(100);
    }
    expect(written).toBeLessThan(size / 2);
    expect((await bytesOf(response)).length).toBe(size);
    server.answer = (_request, socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext');
    expect(await postText()).toBe('next');
    expect(server.connections).toBe(1);
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ] as const)('compresses with %s although it should not is understood', async (coding, compress) => {
    const text = 'data: {"text":"Привет"}\n\n'.repeat(5_000);
    const body = compress(Buffer.from(text));
    server.answer = (_request, socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n`);
      socket.write(body);
    };
    expect(await postText()).toBe(text);
    server.answer = (_request, socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n`);
      socket.end(body.subarray(0, body.length / 2));
    };
    await expect(postText()).rejects.toThrow();
  });

  test('uses an unknown compression is an error', async () => {
    server.answer = (_request, socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Encoding: exotic\r\nContent-Length: 9\r\n\r\nok');
    await expect(postText()).rejects.toThrow('exotic');
    await until(() => server.open.size === 0);
  });
});

test('what was sent is not kept as long as its response', async () => {
  server.answer = (_request, socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nopen');
  const [streams, megabyte] = [24, 1_000_000];
  const open = async () => {
    const response = await post('x'.repeat(megabyte));
    await response.readWhile(() => false);
    return response;
  };
  const memory = () => {
    Bun.gc(true);
    return heapStats().extraMemorySize;
  };
  const kept = [await open()];
  server.requests.length = 0;
  const before = memory();
  while (kept.length < streams) kept.push(await open());
  server.requests.length = 0;
  expect(memory() - before).toBeLessThan((streams * megabyte) / 4);
  expect(kept).toHaveLength(streams);
});

describe('an abort', () => {
  const reason = new Error('no longer wanted');

  test('before the request is sent sends nothing', async () => {
    await expect(post('{}', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(server.connections).toBe(0);
  });

  test('while a server does not answer its handshake ends the connection', async () => {
    const controller = new AbortController();
    const responding = post('{}', { url: server.url().replace('http:', 'https:'), signal: controller.signal });
    await until(() => server.open.size === 1);
    controller.abort(reason);
    await expect(responding).rejects.toBe(reason);
    await until(() => server.open.size === 0);
  });

  test('before the connection is there leaves none', async () => {
    for (let turn = 0; turn < 20; turn += 1) {
      const controller = new AbortController();
      const responding = post('{}', { url: server.url().replace('http:', 'https:'), signal: controller.signal });
      controller.abort(reason);
      await expect(responding).rejects.toBe(reason);
    }
    // What the last one waited for has come: each that was accepted has ended.
    expect(await postText()).toBe('ok');
    await until(() => server.open.size <= 1);
  });

  test('before the head and inside the body closes the connection', async () => {
    for (const answer of ['', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf']) {
      server.answer = (_request, socket) => void (answer !== '' && socket.write(answer));
      const controller = new AbortController();
      const before = server.requests.length;
      const reading = post('{}', { signal: controller.signal }).then(bytesOf);
      await until(() => server.requests.length > before);
      controller.abort(reason);
      await expect(reading).rejects.toBe(reason);
      await until(() => server.open.size === 0);
    }
  });

  test('after the end changes nothing', async () => {
    const controller = new AbortController();
    const response = await post('{}', { signal: controller.signal });
    await until(() => server.requests.length === 1);
    expect(await textOf(response)).toBe('ok');
    controller.abort(reason);
    expect(await postText()).toBe('ok');
    expect(server.connections).toBe(1);
  });
});
