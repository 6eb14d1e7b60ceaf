/** The benchmark's own HTTP parser: a wrong count of requests or chunks would falsify every figure. */
import { expect, test } from 'bun:test';
import { MessageReader } from '../../bench/http/message-reader.ts';
import { EventCounter } from '../../bench/load/event-counter.ts';
import { poissonSchedule } from '../../bench/load/modes/schedule.ts';

const messages = Buffer.from(
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello' +
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n6\r\ndata: \r\n4;x=y\r\na\n\nb\r\n0\r\nTrailer: 1\r\n\r\n' +
    'HTTP/1.1 404 Not Found\r\nserver: x\r\n\r\n' +
    'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
);
const expected = [
  ['HTTP/1.1 200 OK', 'hello'],
  ['HTTP/1.1 200 OK', 'data: a\n\nb'],
  ['HTTP/1.1 404 Not Found', ''],
  ['HTTP/1.1 200 OK', 'ok'],
];

function read(parts: readonly Buffer[]): string[][] {
  const found: string[][] = [];
  let [startLine, body] = ['', ''];
  const reader = new MessageReader({
    head: (head) => {
      [startLine = '', body] = [head.split('\r\n')[0], ''];
    },
    body: (bytes) => {
      body += bytes.toString();
    },
    end: () => found.push([startLine, body]),
  });
  for (const part of parts) reader.feed(part);
  return found;
}

test('messages are the same wherever the network splits them', () => {
  expect(read([messages])).toEqual(expected);
  expect(read([...messages].map((byte) => Buffer.of(byte)))).toEqual(expected);
  for (let cut = 1; cut < messages.length; cut += 1) {
    expect(read([messages.subarray(0, cut), messages.subarray(cut)])).toEqual(expected);
  }
});

test('events are counted once wherever the network splits them', () => {
  const stream = Buffer.from('data: {"a":1}\n\ndata: {"b":2}\n\n: ping\n\ndata: [DONE]\n\n');
  for (let cut = 0; cut <= stream.length; cut += 1) {
    const counter = new EventCounter();
    expect(counter.count(stream.subarray(0, cut)) + counter.count(stream.subarray(cut))).toBe(4);
  }
});

test('requests are due in order, within the duration, and at the requested average rate', () => {
  let state = 1;
  const random = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const due = poissonSchedule({ perSecond: 1_000, durationMs: 20_000, random });
  expect(due.every((at, index) => at < 20_000 && at >= (due[index - 1] ?? 0))).toBe(true);
  expect(Math.abs(due.length - 20_000)).toBeLessThan(600);
});
