/** Parses the responses that have arrived on a socket: RFC 9112, as far as our servers use it. */
import type { ProgramName } from './requests/operations.ts';

export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

export interface Reading {
  readonly responses: readonly RawResponse[];
  /** The bytes of an incomplete response. */
  readonly rest: string;
}

/** Admin's live events continue until the client leaves; every other stream has an end. */
export function isEndless(program: ProgramName, headers: Headers): boolean {
  return program === 'admin' && headers.get('content-type')?.startsWith('text/event-stream') === true;
}

export function hasEvent(body: string): boolean {
  return body.includes('\n\n');
}

interface SentRequests {
  readonly program: ProgramName;
  /** Of the requests, in their order. */
  readonly methods: readonly string[];
}

/** `text` has a character for each byte. A response that is endless is complete once it has an event. */
export function readResponses(text: string, { program, methods }: SentRequests, isClosed: boolean): Reading {
  const responses: RawResponse[] = [];
  let rest = text;
  for (;;) {
    const read = readResponse(rest, { program, method: methods[responses.length] ?? 'GET', isClosed });
    if (read === undefined) return { responses, rest };
    rest = rest.slice(read.length);
    // 100 and 103 are interim responses.
    if (read.response.status >= 200 || read.response.status === 101) responses.push(read.response);
  }
}

function readResponse(
  text: string,
  { program, method, isClosed }: { program: ProgramName; method: string; isClosed: boolean },
): { response: RawResponse; length: number } | undefined {
  const headLength = text.indexOf('\r\n\r\n') + 4;
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1]);
  if (headLength === 3 || Number.isNaN(status)) return undefined;
  const headers = new Headers();
  for (const line of text.slice(0, headLength).split('\r\n').slice(1, -2)) {
    const colon = line.indexOf(':');
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const isBodiless = method === 'HEAD' || status < 200 || status === 204 || status === 304;
  const rest = text.slice(headLength);
  const whole = isBodiless ? { text: '', length: 0 } : readBody(rest, headers, isClosed);
  const body = whole ?? (isEndless(program, headers) ? readEvent(rest) : undefined);
  if (body === undefined) return undefined;
  const decoded = Buffer.from(body.text, 'latin1').toString();
  return { response: { status, headers, body: decoded }, length: headLength + body.length };
}

function readBody(text: string, headers: Headers, isClosed: boolean): { text: string; length: number } | undefined {
  if (headers.get('transfer-encoding') === 'chunked') return readChunks(text);
  const announced = headers.get('content-length');
  if (announced === null) return isClosed ? { text, length: text.length } : undefined;
  const length = Number(announced);
  return text.length < length ? undefined : { text: text.slice(0, length), length };
}

function readChunks(text: string): { text: string; length: number } | undefined {
  const read = readArrivedChunks(text);
  return read.isWhole ? read : undefined;
}

/** All that has arrived, if it contains an event. */
function readEvent(text: string): { text: string; length: number } | undefined {
  const { text: body } = readArrivedChunks(text);
  return hasEvent(body) ? { text: body, length: text.length } : undefined;
}

function readArrivedChunks(text: string): { text: string; length: number; isWhole: boolean } {
  let [body, at] = ['', 0];
  for (;;) {
    const lineEnd = text.indexOf('\r\n', at);
    const size = Number.parseInt(text.slice(at, lineEnd), 16);
    const end = lineEnd + 2 + size + 2;
    if (lineEnd === -1 || Number.isNaN(size) || text.length < end) return { text: body, length: at, isWhole: false };
    if (size === 0) return { text: body, length: end, isWhole: true };
    body += text.slice(lineEnd + 2, end - 2);
    at = end;
  }
}
