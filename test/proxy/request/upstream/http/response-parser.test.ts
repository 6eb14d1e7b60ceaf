/** The parser of providers' responses: any split gives the same, what is ambiguous is refused, and no bytes make it fail otherwise. */
import { describe, expect, test } from 'bun:test';
import { inCampaign } from '../../../../harness/campaigns.ts';
import { SeededRandom } from '../../../../harness/seeded-random.ts';
import { readResponses, splitAt } from './read-responses.ts';

const bytesOf = (text: string) => Buffer.from(text, 'latin1');

/** Valid responses, and the body that each has. */
const valid: Readonly<Record<string, readonly [response: string, body: string, isReusable: boolean]>> = {
  'with a length': ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', 'hello', true],
  'without content': ['HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', '', true],
  'with status 204': ['HTTP/1.1 204 No Content\r\n\r\n', '', true],
  'with status 304 and the length of what is not sent': ['HTTP/1.1 304 \r\nContent-Length: 9\r\n\r\n', '', true],
  'in chunks': [
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x="y"\r\nde\r\n0\r\n\r\n',
    'abcde',
    true,
  ],
  'in chunks of upper and lower case, with zeros in front': [
    `HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n000A\r\n0123456789\r\na\r\n0123456789\r\n00\r\n\r\n`,
    '01234567890123456789',
    true,
  ],
  'with a trailer': [
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-Sum: 1\r\nX-More: 2\r\n\r\n',
    'a',
    true,
  ],
  'in chunks that contain line ends': [
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n\r\n0\r\n\r\nab\r\n0\r\n\r\n',
    '\r\n0\r\n\r\nab',
    true,
  ],
  'after interim ones': [
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nz',
    'z',
    true,
  ],
  'after which the server closes': [
    'HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 2\r\n\r\nhi',
    'hi',
    false,
  ],
  'of HTTP/1.0': ['HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi', 'hi', false],
  'without a reason, and with fields of odd names': [
    "HTTP/1.1 200\r\nx!#$%&'*+-.^_`|~: \t a\tb \r\nContent-Length: 0\r\n\r\n",
    '',
    true,
  ],
};

describe('a response', () => {
  test.each(Object.entries(valid))('%s is the same wherever its bytes are split', (_name, [text, body, isReusable]) => {
    const bytes = bytesOf(text);
    const whole = readResponses([bytes]);
    expect(whole.problem).toBeUndefined();
    expect(whole.messages).toMatchObject([{ body, isReusable }]);
    for (let one = 0; one <= bytes.length; one += 1) {
      expect(readResponses(splitAt(bytes, [one]))).toEqual(whole);
      for (let other = one; other <= bytes.length; other += 1)
        expect(readResponses(splitAt(bytes, [one, other]))).toEqual(whole);
    }
    expect(readResponses(Array.from(bytes, (_byte, index) => bytes.subarray(index, index + 1)))).toEqual(whole);
  });

  test('ends with the connection if nothing else says where', () => {
    const bytes = bytesOf('HTTP/1.1 200 OK\r\n\r\nuntil the end');
    expect(readResponses([bytes], { closes: true }).messages).toMatchObject([
      { body: 'until the end', isReusable: false },
    ]);
    expect(readResponses([bytes]).messages).toMatchObject([{ isReusable: undefined }]);
  });

  test('to HEAD has no body, whatever it announces', () => {
    for (const field of ['Content-Length: 5', 'Transfer-Encoding: chunked', 'X: y']) {
      const { messages, problem } = readResponses([bytesOf(`HTTP/1.1 200 OK\r\n${field}\r\n\r\n`)], { method: 'HEAD' });
      expect([problem, messages[0]?.body, messages[0]?.isReusable]).toEqual([undefined, '', true]);
    }
  });

  test('has fields of one name joined, in lower case, without the blanks around them', () => {
    const bytes = bytesOf('HTTP/1.1 200 OK\r\nX-A:  one \r\nx-a:\ttwo\r\nContent-Length: 0\r\n\r\n');
    expect(readResponses([bytes]).messages[0]?.headers).toEqual({ 'x-a': 'one, two', 'content-length': '0' });
  });

  test('follows another one on the same connection', () => {
    const all = Object.values(valid).filter(([, , isReusable]) => isReusable);
    const bytes = bytesOf(all.map(([text]) => text).join(''));
    // A server must not send one that was not asked for, but one may be asked for between two pieces of it.
    const whole = readResponses([bytes], { responses: all.length });
    expect(whole.messages.map(({ body }) => body)).toEqual(all.map(([, body]) => body));
    for (let place = 0; place <= bytes.length; place += 1)
      expect(readResponses(splitAt(bytes, [place]), { responses: all.length })).toEqual(whole);
  });
});

const ok = 'HTTP/1.1 200 OK\r\n';
const chunkedHead = `${ok}Transfer-Encoding: chunked\r\n\r\n`;

/** What two readers might understand differently, and what is not HTTP/1.1. */
const refused: Readonly<Record<string, string>> = {
  'two lengths': `${ok}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`,
  'the same length twice': `${ok}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello`,
  'a list of lengths': `${ok}Content-Length: 5, 5\r\n\r\nhello`,
  'a length with a sign': `${ok}Content-Length: +5\r\n\r\nhello`,
  'a negative length': `${ok}Content-Length: -1\r\n\r\n`,
  'a hexadecimal length': `${ok}Content-Length: 0x5\r\n\r\nhello`,
  'a length with an exponent': `${ok}Content-Length: 5e0\r\n\r\nhello`,
  'an empty length': `${ok}Content-Length:\r\n\r\n`,
  'a length beyond numbers': `${ok}Content-Length: 99999999999999999999\r\n\r\n`,
  'a length and chunks': `${ok}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'chunks and a length': `${ok}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
  'an unknown coding': `${ok}Transfer-Encoding: gzip\r\n\r\n`,
  'a coding around chunks': `${ok}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  'chunks that are not last': `${ok}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
  'chunks twice': `${ok}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'chunks behind a control character': `${ok}Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n`,
  'a coding with a blank before the colon': `${ok}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
  'chunks in HTTP/1.0': 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'chunks without content': 'HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n',
  'a field over two lines': `${ok}X: a\r\n b\r\nContent-Length: 0\r\n\r\n`,
  'a field that begins with a blank': `${ok} X: a\r\nContent-Length: 0\r\n\r\n`,
  'a field without a colon': `${ok}X\r\nContent-Length: 0\r\n\r\n`,
  'a field without a name': `${ok}: a\r\nContent-Length: 0\r\n\r\n`,
  'a name with a control character': `${ok}X\x00: a\r\nContent-Length: 0\r\n\r\n`,
  'a value with NUL': `${ok}X: a\x00b\r\nContent-Length: 0\r\n\r\n`,
  'a value with a lone CR': `${ok}X: a\rContent-Length: 3\r\n\r\n`,
  'a value with a lone LF': `${ok}X: a\nContent-Length: 3\r\n\r\n`,
  'lines that end with LF alone': 'HTTP/1.1 200 OK\nContent-Length: 0\n\n\r\n\r\n',
  'another protocol': 'HTTP/2 200\r\n\r\n',
  'a later version': 'HTTP/1.2 200 OK\r\nContent-Length: 0\r\n\r\n',
  'a lower-case protocol': 'http/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
  'no version': '200 OK\r\nContent-Length: 0\r\n\r\n',
  'a status of two digits': 'HTTP/1.1 20 OK\r\n\r\n',
  'a status of four digits': 'HTTP/1.1 2000 OK\r\n\r\n',
  'a status that is no number': 'HTTP/1.1 2x0 OK\r\n\r\n',
  'a status of zero': 'HTTP/1.1 000 OK\r\n\r\n',
  'two blanks before the status': 'HTTP/1.1  200 OK\r\nContent-Length: 0\r\n\r\n',
  'an empty line in front': '\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
  'a change of protocol': 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n',
  'a chunk without a size': `${chunkedHead}\r\nabc\r\n0\r\n\r\n`,
  'a chunk of a negative size': `${chunkedHead}-3\r\nabc\r\n0\r\n\r\n`,
  'a chunk with 0x': `${chunkedHead}0x3\r\nabc\r\n0\r\n\r\n`,
  'a chunk with a blank in front of its size': `${chunkedHead} 3\r\nabc\r\n0\r\n\r\n`,
  'a chunk with a blank behind its size': `${chunkedHead}3 \r\nabc\r\n0\r\n\r\n`,
  'a chunk of an immense size': `${chunkedHead}fffffffffffffffff\r\n`,
  'a chunk with a control character in its extension': `${chunkedHead}3;\x00\r\nabc\r\n0\r\n\r\n`,
  'a chunk line with LF alone': `${chunkedHead}3\nabc\r\n0\r\n\r\n`,
  'a chunk that is shorter than its size': `${chunkedHead}5\r\nabc\r\n0\r\n\r\n`,
  'a chunk that is longer than its size': `${chunkedHead}2\r\nabc\r\n0\r\n\r\n`,
  'a chunk that ends with LF alone': `${chunkedHead}3\r\nabc\n0\r\n\r\n`,
  'a chunk line without end': `${chunkedHead}3;${'x'.repeat(2_000)}`,
  'a malformed trailer': `${chunkedHead}0\r\nno colon\r\n\r\n`,
  'an immense trailer': `${chunkedHead}0\r\n${`X: ${'y'.repeat(900)}\r\n`.repeat(20)}\r\n`,
  'an immense field': `${ok}X: ${'y'.repeat(70_000)}`,
  'an immense head': `${ok}${`X: ${'y'.repeat(900)}\r\n`.repeat(80)}`,
  'very many fields': `${ok}${'X: y\r\n'.repeat(300)}\r\n`,
  'interim responses without end':
    'HTTP/1.1 100 Continue\r\nX: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n\r\n'.repeat(2_000),
  'a byte behind the end': `${ok}Content-Length: 2\r\n\r\nhi!`,
  'a second response that was not asked for': `${ok}Content-Length: 0\r\n\r\n${ok}Content-Length: 0\r\n\r\n`,
  'a body without content': 'HTTP/1.1 204 No Content\r\n\r\nx',
};

describe('is refused:', () => {
  test.each(Object.entries(refused))('%s', (_name, text) => {
    const bytes = bytesOf(text);
    const { problem } = readResponses([bytes]);
    expect(problem).toBeString();
    // Wherever it is split, although it may be found out at another place.
    const step = Math.max(1, Math.floor(bytes.length / 300));
    for (let place = 0; place <= bytes.length; place += step)
      expect(readResponses(splitAt(bytes, [place])).problem).toBeString();
  });

  test.each([
    ['inside the head', 'HTTP/1.1 200 OK\r\nContent-Le'],
    ['inside the body', `${ok}Content-Length: 5\r\n\r\nhell`],
    ['inside a chunk', `${chunkedHead}5\r\nhel`],
    ['before the last chunk', `${chunkedHead}5\r\nhello\r\n`],
    ['inside the trailer', `${chunkedHead}0\r\nX: y\r\n`],
    ['before anything', ''],
  ])('an end %s', (_where, text) => {
    expect(readResponses([bytesOf(text)], { closes: true }).problem).toContain('closed before the end');
  });
});

test('whatever comes, it is read or refused, the same wherever it is split (campaign)', () => {
  const random = new SeededRandom(20_261_126);
  const samples = [
    ...Object.values(valid).map(([text]) => text),
    ...Object.values(refused).filter(({ length }) => length < 500),
  ];
  const odd = [
    '\r',
    '\n',
    '\r\n',
    '\0',
    ' ',
    '\t',
    ':',
    ';',
    ',',
    '0',
    '5',
    'f',
    'chunked',
    'Content-Length: 3\r\n',
    '\xff',
  ];
  const runs = inCampaign(20_000, 400_000);
  for (let run = 0; run < runs; run += 1) {
    let text = random.pick(samples);
    for (let changes = random.integer(1, 4); changes > 0; changes -= 1) {
      const place = random.integer(0, text.length);
      const cut = random.integer(0, 3);
      text = text.slice(0, place) + (random.chance(0.7) ? random.pick(odd) : '') + text.slice(place + cut);
    }
    const bytes = bytesOf(text);
    const options = { closes: random.chance(0.5), responses: random.integer(1, 3) };
    const whole = readResponses([bytes], options);
    const places = Array.from({ length: random.integer(1, 4) }, () => random.integer(0, bytes.length)).sort(
      (a, b) => a - b,
    );
    const split = readResponses(splitAt(bytes, places), options);
    // A refusal may come before a body is passed on, or after.
    if (whole.problem === undefined) expect(split).toEqual(whole);
    else expect(split.problem).toBe(whole.problem);
  }
});
