/**
 * Bytes for a socket: HTTP that no client sends, and valid HTTP that arrives in chunks, pipelined, or from a client
 * that does not wait for the response.
 */
import type { SeededRandom } from '../../harness/seeded-random.ts';
import { type Message, renderMessage } from './message.ts';
import { badHeaders, badHosts, badLengths, requestLines } from './odd-http.ts';

export interface DrawnBytes {
  readonly kind: BytesKind;
  /** Written one after the other, with a pause between them. */
  readonly chunks: readonly Uint8Array[];
  /**
   * How many responses are expected; the connection may end early with a refusal. Undefined if the bytes are not HTTP:
   * then it may also end without any, or wait for more.
   */
  readonly owed: number | undefined;
  /** Closes the connection after the last chunk. */
  readonly leaves: boolean;
}

type Drawn = Pick<DrawnBytes, 'chunks'> & Partial<Omit<DrawnBytes, 'kind'>>;

const kinds = {
  garbage: ({ random }) => ({ chunks: [bytesOf(random, random.integer(1, 400))] }),
  'request line': ({ random, message }) => ({
    chunks: [renderMessage({ ...message, line: random.pick(requestLines) })],
  }),
  'no Host': ({ message }) => ({ chunks: [renderMessage({ ...message, headers: without(message, 'host') })] }),
  'two Hosts': ({ message }) => ({ chunks: [renderMessage(withHeader(message, 'Host: other.invalid'))] }),
  'bad Host': ({ random, message }) => ({
    chunks: [renderMessage({ ...message, headers: [`Host:${random.pick(badHosts)}`, ...without(message, 'host')] })],
  }),
  'bad header': ({ random, message }) => ({ chunks: [renderMessage(withHeader(message, random.pick(badHeaders)))] }),
  'two lengths': ({ random, message }) => {
    const { length } = message.body;
    return {
      chunks: [renderMessage(withHeader(message, `Content-Length: ${random.pick([length, length + 1, 0, 5])}`))],
    };
  },
  'length and chunks': ({ random, message }) => {
    const header = random.pick([
      'Transfer-Encoding: chunked',
      'Transfer-Encoding : chunked',
      'transfer-encoding: gzip, chunked',
    ]);
    const body = random.chance(0.5) ? message.body : chunked(message.body, random);
    return { chunks: [renderMessage({ ...withHeader(message, header), body })] };
  },
  'bad length': ({ random, message }) => ({
    chunks: [
      renderMessage({
        ...message,
        headers: [...without(message, 'content-length'), `Content-Length:${random.pick(badLengths)}`],
      }),
    ],
  }),
  chunks: ({ random, message }) => ({
    chunks: split(renderMessage(inChunks(message, chunked(message.body, random))), random),
    owed: 1,
  }),
  'bad chunks': ({ random, message }) => ({
    chunks: [renderMessage(inChunks(message, brokenChunks(message.body, random)))],
  }),
  pipelined: ({ random, message, another }) => {
    const messages = [message, ...Array.from({ length: random.integer(1, 5) }, another)];
    const bytes = Buffer.concat(messages.map(renderMessage));
    return { chunks: random.chance(0.5) ? [bytes] : split(bytes, random), owed: messages.length };
  },
  split: ({ random, message }) => ({ chunks: split(renderMessage(message), random), owed: 1 }),
  'leaves early': ({ random, message }) => {
    const bytes = renderMessage(message);
    const isWhole = random.chance(0.5);
    return { chunks: [isWhole ? bytes : bytes.subarray(0, Math.floor(random.next() * bytes.length))], leaves: true };
  },
  'waits for 100': ({ message }) => ({ chunks: [renderMessage(withHeader(message, 'Expect: 100-continue'))], owed: 1 }),
  upgrade: ({ random, message }) => {
    const upgrade = random.pick([
      'websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13',
      'h2c',
      'TLS/1.0',
    ]);
    return { chunks: [renderMessage(withHeader(message, `Connection: Upgrade\r\nUpgrade: ${upgrade}`))] };
  },
  'large head': ({ random, message }) => {
    const lines = Array.from(
      { length: random.pick([1, 150, 300]) },
      (_, at) => `X-${at}: ${'a'.repeat(random.pick([1, 200, 9_000]))}`,
    );
    return { chunks: [renderMessage({ ...message, headers: [...message.headers, ...lines] })] };
  },
} satisfies Record<string, (given: Given) => Drawn>;

interface Given {
  readonly random: SeededRandom;
  readonly message: Message;
  readonly another: () => Message;
}

export type BytesKind = keyof typeof kinds;

/** `another` draws a whole message, each time it is called. */
export function drawBytes(another: () => Message, random: SeededRandom): DrawnBytes {
  const kind = random.pick(Object.keys(kinds) as BytesKind[]);
  const drawn: Drawn = kinds[kind]({ random, message: another(), another });
  return { owed: undefined, leaves: false, ...drawn, kind };
}

function withHeader(message: Message, header: string): Message {
  return { ...message, headers: [...message.headers, header] };
}

function without({ headers }: Message, name: string): string[] {
  return headers.filter((header) => !header.toLowerCase().startsWith(`${name}:`));
}

function inChunks(message: Message, body: Uint8Array): Message {
  return { ...message, headers: [...without(message, 'content-length'), 'Transfer-Encoding: chunked'], body };
}

function chunked(body: Uint8Array, random: SeededRandom): Uint8Array {
  const extension = random.chance(0.2) ? ';name=value' : '';
  const chunks = split(body, random).map((chunk) =>
    Buffer.concat([Buffer.from(`${chunk.length.toString(16)}${extension}\r\n`), chunk, Buffer.from('\r\n')]),
  );
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
}

function brokenChunks(body: Uint8Array, random: SeededRandom): Uint8Array {
  const size = random.pick([
    'ffffffffffffffff',
    'fffffffff',
    '-1',
    '0x5',
    'g',
    '',
    ' 5',
    '5 ',
    `${'0'.repeat(9_000)}5`,
    '5;a="\r\n',
  ]);
  return Buffer.concat([
    Buffer.from(`${size}\r\n`),
    body,
    Buffer.from(random.pick(['\r\n0\r\n\r\n', '0\r\n\r\n', '\n0\n\n', '\r\n0\r\nX-Trailer: a\r\n\r\n', ''])),
  ]);
}

/** None of the chunks is empty. */
function split(bytes: Uint8Array, random: SeededRandom): Uint8Array[] {
  const cuts = Array.from({ length: random.integer(1, 5) }, () => Math.floor(random.next() * bytes.length)).sort(
    (a, b) => a - b,
  );
  return [0, ...cuts]
    .map((from, index) => bytes.subarray(from, cuts[index] ?? bytes.length))
    .filter(({ length }) => length > 0);
}

function bytesOf(random: SeededRandom, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random.integer(0, 255));
}
