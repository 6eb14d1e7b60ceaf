/** Responses in every form that HTTP/1.1 has, in any pieces, and those that end at any byte. */
import { describe, expect, test } from 'bun:test';
import { request as nodeRequest } from 'node:http';
import { HttpClient } from '../../../../../proxy/request/upstream/http/http-client.ts';
import { inCampaign } from '../../../../harness/campaigns.ts';
import { SeededRandom } from '../../../../harness/seeded-random.ts';
import { bytesOf, headers, post, server, startForEachTest, unaborted, until } from './client-and-server.ts';

startForEachTest();

describe('at every byte of its response, a server that', () => {
  const head = 'HTTP/1.1 200 OK\r\nX-Mark: 1\r\n';
  /** The response, how much of its body is in its first bytes, and whether a closed connection is its end. */
  const forms: readonly (readonly [
    form: string,
    text: string,
    bodyIn: (sent: string) => string,
    endsByClosing: boolean,
  ])[] = [
    ['with a length', `${head}Content-Length: 6\r\n\r\nabcdef`, afterHead, false],
    [
      'in chunks',
      `${head}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3;a=b\r\ndef\r\n0\r\nX-Sum: 1\r\n\r\n`,
      ofChunks,
      false,
    ],
    ['that the end of the connection ends', `${head}\r\nabcdef`, afterHead, true],
  ];
  const broken = new Error('no longer wanted');

  test.each(forms)('closes is understood or an error (%s)', async (_form, text, bodyIn, endsByClosing) => {
    for (let place = 0; place <= text.length; place += 1) {
      const sent = text.slice(0, place);
      server.answer = (_request, socket) => void socket.end(sent);
      const isWhole = place === text.length || (endsByClosing && sent.includes('\r\n\r\n'));
      const { body, error } = await readUntilEnd();
      expect({ place, body, failed: error !== undefined }).toEqual({ place, body: bodyIn(sent), failed: !isWhole });
    }
  });

  test.each(forms)('resets the connection is an error (%s)', async (_form, text, bodyIn, endsByClosing) => {
    for (let place = 0; place <= text.length; place += 1) {
      const sent = text.slice(0, place);
      server.answer = (_request, socket) => void socket.write(sent, () => socket.resetAndDestroy());
      const { body, error } = await readUntilEnd();
      // What came before may be lost with the connection.
      expect(bodyIn(sent)).toStartWith(body);
      if (place < text.length || endsByClosing) expect(error, `after ${place} bytes`).toBeInstanceOf(Error);
      else expect(error === undefined ? body : '').toBe(error === undefined ? bodyIn(sent) : '');
    }
  });

  test.each(forms)('stalls is waited for until the abort (%s)', async (_form, text, bodyIn, endsByClosing) => {
    for (let place = 0; place < text.length + (endsByClosing ? 1 : 0); place += 1) {
      const sent = text.slice(0, place);
      server.answer = (_request, socket) => void (sent !== '' && socket.write(sent));
      const before = server.requests.length;
      const controller = new AbortController();
      const progress = { body: '' };
      const reading = readUntilEnd(controller.signal, progress);
      await until(() => server.requests.length > before && progress.body === bodyIn(sent));
      controller.abort(broken);
      expect(await reading).toEqual({ body: bodyIn(sent), error: broken });
      await until(() => server.open.size === 0);
    }
  });

  test.each(forms)('trickles is understood (%s)', async (_form, text, bodyIn, endsByClosing) => {
    for (let first = 1; first < text.length; first += 1) {
      server.answer = async (_request, socket) => {
        socket.setNoDelay(true);
        socket.write(text.slice(0, first));
        await Bun.sleep(1);
        socket.write(text.slice(first));
        if (endsByClosing) socket.end();
      };
      expect(await readUntilEnd()).toEqual({ body: bodyIn(text), error: undefined });
    }
  });

  /** With a client of its own, because a request is sent again if it finds its idle connection closed. */
  async function readUntilEnd(
    signal = unaborted(),
    progress = { body: '' },
  ): Promise<{ body: string; error: unknown }> {
    const own = new HttpClient();
    try {
      const response = await own.post({ url: server.url(), headers, body: '{}' }, { signal });
      await response.readWhile((piece) => {
        progress.body += Buffer.from(piece).toString();
        return true;
      });
      return { body: progress.body, error: undefined };
    } catch (error) {
      return { body: progress.body, error };
    } finally {
      own.close();
    }
  }

  function afterHead(sent: string): string {
    const end = sent.indexOf('\r\n\r\n');
    return end < 0 ? '' : sent.slice(end + 4);
  }

  function ofChunks(sent: string): string {
    return afterHead(sent)
      .split('\r\n')
      .filter((_line, index) => index === 1 || index === 3)
      .map((data) => data.slice(0, 3))
      .join('');
  }
});

test('it understands any valid response as fetch and node:http do (campaign)', async () => {
  const random = new SeededRandom(32);
  for (let run = 0; run < inCampaign(20, 600); run += 1) {
    const { pieces, body } = randomResponse(random);
    server.answer = async (_request, socket) => {
      for (const piece of pieces) {
        socket.write(piece);
        if (random.chance(0.3)) await Bun.sleep(0);
      }
    };
    const [own, fetched, node] = [
      await post(),
      await fetch(server.url(), { method: 'POST', body: '{}' }),
      await viaNode(server.url()),
    ];
    expect(own.status).toBe(fetched.status);
    expect(own.headers.get('x-mark')).toBe(fetched.headers.get('x-mark'));
    const ownBody = await bytesOf(own);
    expect(ownBody.equals(Buffer.from(await fetched.arrayBuffer()))).toBe(true);
    expect(ownBody.equals(node)).toBe(true);
    expect(ownBody.equals(body)).toBe(true);
  }
});

function randomResponse(random: SeededRandom): { pieces: Buffer[]; body: Buffer } {
  const body = Buffer.from(
    Array.from({ length: random.pick([0, 1, 10, 1_000, 70_000]) }, () => random.integer(0, 255)),
  );
  const interim = random.chance(0.2) ? 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n' : '';
  const mark = `X-Mark: ${random.integer(0, 1_000_000)}\r\n`;
  const status = `HTTP/1.1 ${random.pick(['200 OK', '404 Not Found', '500 ', '429 Too Many'])}\r\n`;
  const parts: Buffer[] = [];
  if (random.chance(0.5))
    parts.push(Buffer.from(`${interim}${status}${mark}Content-Length: ${body.length}\r\n\r\n`), body);
  else {
    parts.push(Buffer.from(`${interim}${status}${mark}Transfer-Encoding: chunked\r\n\r\n`));
    for (let at = 0; at < body.length; ) {
      const size = random.integer(1, random.pick([5, 500, 50_000]));
      const piece = body.subarray(at, at + size);
      parts.push(
        Buffer.from(`${piece.length.toString(16)}${random.chance(0.2) ? ';a=b' : ''}\r\n`),
        piece,
        Buffer.from('\r\n'),
      );
      at += size;
    }
    parts.push(Buffer.from(`0\r\n${random.chance(0.2) ? 'X-Sum: 1\r\n' : ''}\r\n`));
  }
  const bytes = Buffer.concat(parts);
  const places = Array.from({ length: random.integer(0, 4) }, () => random.integer(0, bytes.length)).sort(
    (a, b) => a - b,
  );
  const borders = [0, ...places, bytes.length];
  return { pieces: borders.slice(1).map((border, index) => bytes.subarray(borders[index], border)), body };
}

function viaNode(url: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const sent = nodeRequest(url, { method: 'POST', agent: false }, async (response) => {
      const pieces: Buffer[] = [];
      for await (const piece of response) pieces.push(piece);
      resolve(Buffer.concat(pieces));
    });
    sent.on('error', reject).end('{}');
  });
}
