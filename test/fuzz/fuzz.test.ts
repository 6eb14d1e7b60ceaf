/** A short run of the fuzzer, and tests of the parts it depends on. `bun run fuzz` is the long one. */
import { describe, expect, test } from 'bun:test';
import { draw } from './draw.ts';
import { faultsOf, faultsOfAny } from './find-faults.ts';
import { readResponses } from './read-responses.ts';
import { renderReport } from './report.ts';
import { fuzzedOperations } from './requests/operations.ts';
import { runFuzz } from './run.ts';

const requests = 300;

test('no request causes a 500, an unknown error, an exit or a wrong balance', async () => {
  const outcome = await runFuzz({ seed: 1, requests, slowMs: Number.POSITIVE_INFINITY });
  expect(outcome.findings.length === 0 ? '' : renderReport(outcome)).toBe('');
  expect(outcome.requests).toBe(requests);
  const operations = fuzzedOperations.map(({ method, path }) => `${method} ${path}`);
  expect([...outcome.responses.keys()]).toEqual(expect.arrayContaining(operations));
  const { proxy, admin } = outcome.longestStopSeconds;
  expect(Math.min(proxy, admin)).toBeGreaterThan(0);
});

test('a seed and a number always draw the same request, and other numbers draw others', () => {
  const drawn = (seed: number) =>
    Array.from({ length: 300 }, (_, index) => {
      const one = draw(seed, index + 1, {});
      return JSON.stringify(one.form === 'request' ? one.request : one.bytes);
    });
  expect(drawn(7)).toEqual(drawn(7));
  expect(new Set([...drawn(7), ...drawn(8)]).size).toBeGreaterThan(500);
});

describe('the checker reports', () => {
  const json = { 'content-type': 'application/json', 'x-request-id': 'r' };
  const response = (status: number, body: unknown, headers: Record<string, string> = json) => ({
    status,
    headers: new Headers(headers),
    body: JSON.stringify(body),
  });
  const refusal = (code: string) => ({ error: { message: '', type: 'invalid_request_error', code, param: null } });
  const request = { program: 'admin', method: 'DELETE', target: '/api/keys/5?x=1' } as const;

  test.each([
    ['a 500', response(500, refusal('internal_error'))],
    ['a 5xx without a code', response(502, {})],
    ['a code that is not in the registry', response(400, refusal('oops'))],
    ['a code with the status of another', response(403, refusal('not_found'))],
    ['an undocumented code of the operation', response(404, refusal('model_not_found'))],
    ['an undocumented status of the operation', response(402, refusal('not_found'))],
    ['a refusal of another shape', response(404, { message: 'no' })],
    ['a response without a request id', response(404, refusal('not_found'), { 'content-type': 'application/json' })],
  ])('%s', (_, given) => {
    expect(faultsOf(request, given)).not.toEqual([]);
  });

  test('nothing for a documented response', () => {
    expect(faultsOf(request, response(404, refusal('not_found')))).toEqual([]);
    expect(faultsOfAny({ status: 400, headers: new Headers(), body: '' })).toEqual([]);
  });
});

test('responses are parsed from bytes: by length, in chunks, without a body, after 100, and to the end', () => {
  const text = [
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n',
    'HTTP/1.1 204 No Content\r\n\r\n',
    'HTTP/1.0 400 Bad Request\r\nA: b\r\n\r\nrest',
  ].join('');
  const request = { program: 'admin', methods: ['GET', 'GET', 'HEAD', 'GET', 'GET'] } as const;
  const open = readResponses(text, request, false);
  expect(open.responses.map(({ body }) => body)).toEqual(['ab', 'abcd', '', '']);
  expect(open.rest).toStartWith('HTTP/1.0 400');
  const closed = readResponses(text, request, true);
  expect(closed.responses.at(-1)).toMatchObject({ status: 400, body: 'rest' });
  for (let length = 0; length < text.length - 4; length += 1) {
    const part = readResponses(text.slice(0, length), request, false).responses;
    expect(part.map(({ body }) => body)).toEqual(['ab', 'abcd', '', ''].slice(0, part.length));
  }
});

describe('an event stream', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
  const read = (program: 'admin' | 'proxy', body: string) =>
    readResponses(head + body, { program, methods: ['GET'] }, false).responses.map((response) => response.body);
  const [half, event] = ['d\r\nevent: ready\n\r\n', '1\r\n\n\r\n'];

  test('an event stream of admin is complete with its first event, as it ends only when the client leaves', () => {
    expect(read('admin', half)).toEqual([]);
    expect(read('admin', half + event)).toEqual(['event: ready\n\n']);
  });

  test('an event stream of the proxy is complete when it has ended', () => {
    expect(read('proxy', half + event)).toEqual([]);
    expect(read('proxy', `${half}${event}0\r\n\r\n`)).toEqual(['event: ready\n\n']);
  });
});

test('an error may be a page where the document says so, and nowhere else', () => {
  const page = {
    status: 400,
    headers: new Headers({ 'content-type': 'text/html; charset=utf-8', 'x-request-id': 'r' }),
    body: '<!doctype html>',
  };
  const faultsAt = (method: string, target: string) => faultsOf({ program: 'admin', method, target }, page);
  for (const action of ['confirm', 'unsubscribe']) {
    for (const method of ['GET', 'POST'])
      expect(faultsAt(method, `/api/alert-addresses/${action}?token=a`)).toEqual([]);
  }
  expect(faultsAt('POST', '/api/auth/verify-email')).not.toEqual([]);
});
