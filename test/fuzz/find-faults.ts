/** What is wrong with a response, whatever the request: each sentence is a bug in the program or in its document. */
import { type ErrorCode, errorRegistry } from '../../shared/errors.ts';
import { responseChecker } from '../harness/openapi/response-checker.ts';
import type { RawResponse } from './read-responses.ts';
import type { BytesKind } from './requests/draw-bytes.ts';
import { documents, type ProgramName } from './requests/operations.ts';

const checkers = { proxy: responseChecker(documents.proxy), admin: responseChecker(documents.admin) };

/**
 * Requests that Bun refuses by itself before the programs see them, without a body: a head that is too large, another
 * HTTP version.
 */
const refusedBelow: ReadonlySet<number> = new Set([431, 505]);

/** For requests that are valid HTTP. */
export function faultsOf(
  request: { program: ProgramName; method: string; target: string },
  response: RawResponse,
): string[] {
  const { status, headers } = response;
  if (refusedBelow.has(status) && response.body === '') return [];
  const path = new URL(request.target, 'http://gateway.test').pathname;
  const isHead = request.method === 'HEAD';
  // The document says whether a browser gets a page here.
  const isPage = headers.get('content-type')?.startsWith('text/html') === true;
  const body = isHead ? '' : parsedBody(response);
  return [
    ...faultsOfAny(response),
    ...(headers.has('x-request-id') ? [] : [`${status} without a request id`]),
    ...(status >= 400 && !isHead && !isPage && codeOf(body) === undefined
      ? [`${status} without the shape of an error`]
      : []),
    ...(isHead ? [] : checkers[request.program](request.method, path, { status, headers, body })),
  ];
}

/** For bytes that may not be HTTP. */
export function faultsOfAny(response: RawResponse): string[] {
  const { status } = response;
  if (refusedBelow.has(status) && response.body === '') return [];
  const body = parsedBody(response);
  const code = codeOf(body);
  const kind = code === undefined ? undefined : errorRegistry[code as ErrorCode];
  const isError = status >= 400 && response.body !== '';
  return [
    ...(status === 500 || (status >= 500 && kind === undefined) ? [`${status} ${code ?? ''}`] : []),
    ...(isError && code !== undefined && kind === undefined ? [`an unknown code: ${code}`] : []),
    ...(isError && kind !== undefined && kind.status !== status ? [`${code} with status ${status}`] : []),
  ];
}

function parsedBody({ headers, body }: RawResponse): unknown {
  if (headers.get('content-type')?.startsWith('application/json') !== true) return body;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

function codeOf(body: unknown): string | undefined {
  return Object(Object(body).error).code;
}

/** Faults that are not ours to fix, each with the reason. They are counted and do not fail a run. */
const knownFaults: readonly { readonly kind: BytesKind; readonly fault: RegExp; readonly why: string }[] = [
  {
    kind: 'pipelined',
    fault: /answers when the connection was closed/,
    why: 'Bun 1.4 closes a connection on which the next request comes while one is answered',
  },
];

export function whyKnown(kind: BytesKind | undefined, fault: string): string | undefined {
  return knownFaults.find((known) => known.kind === kind && known.fault.test(fault))?.why;
}
