/** Sends a drawn request, and returns the response. */
import { connect } from 'node:net';
import { hasEvent, isEndless, type RawResponse, readResponses } from './read-responses.ts';
import type { DrawnBytes } from './requests/draw-bytes.ts';
import type { FuzzRequest, Names } from './requests/fuzz-request.ts';
import { bodyOf, fillTarget, headersOf } from './requests/message.ts';
import type { ProgramName } from './requests/operations.ts';

export interface Exchange {
  readonly responses: readonly RawResponse[];
  /** From the last byte sent to the last one received. */
  readonly durationMs: number;
  /** What should have arrived and has not. */
  readonly silence: string | undefined;
}

/** The longest wait for responses that are expected. */
const owedTimeoutMs = 15_000;
/** The longest wait for responses that may never arrive. */
const unowedTimeoutMs = 400;
const pauseMs = 4;

export async function sendRequest(url: string, request: FuzzRequest, names: Names): Promise<Exchange> {
  const startedAt = performance.now();
  const body = bodyOf(request, names);
  try {
    const response = await fetch(`${url}${fillTarget(request, names)}`, {
      method: request.method,
      headers: headersOf(request, names),
      redirect: 'manual',
      signal: AbortSignal.timeout(owedTimeoutMs),
      ...(body !== undefined && { body }),
    });
    const text = isEndless(request.program, response.headers) ? await firstEvent(response) : await response.text();
    const received = { status: response.status, headers: response.headers, body: text };
    return { responses: [received], durationMs: performance.now() - startedAt, silence: undefined };
  } catch (error) {
    return { responses: [], durationMs: performance.now() - startedAt, silence: `no answer: ${String(error)}` };
  }
}

/** The beginning of a stream, up to its first event; then the client leaves. */
async function firstEvent(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  // Leaving the loop cancels the body.
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (hasEvent(text)) break;
  }
  return text;
}

/** `methods` are those of the requests in the bytes. */
export function sendBytes(
  url: string,
  drawn: DrawnBytes,
  request: { readonly program: ProgramName; readonly methods: readonly string[] },
): Promise<Exchange> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let text = '';
  let isClosed = false;
  let lastSentAt = performance.now();
  return new Promise((resolve) => {
    let deadline: Timer | undefined;
    const end = (isLate: boolean) => {
      clearTimeout(deadline);
      socket.destroy();
      const { responses, rest } = readResponses(text, request, isClosed);
      resolve({
        responses,
        durationMs: performance.now() - lastSentAt,
        silence: silenceOf(drawn, { responses, rest, isLate }),
      });
    };
    const look = () => {
      if (isClosed || readResponses(text, request, false).responses.length >= (drawn.owed ?? 1)) end(false);
    };
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
      look();
    });
    socket.on('close', () => {
      isClosed = true;
      look();
    });
    socket.once('connect', async () => {
      for (const [index, chunk] of drawn.chunks.entries()) {
        if (index > 0) await Bun.sleep(pauseMs);
        if (!socket.destroyed) socket.write(chunk);
      }
      lastSentAt = performance.now();
      if (drawn.leaves) {
        await Bun.sleep(pauseMs);
        end(false);
      } else deadline = setTimeout(() => end(true), drawn.owed === undefined ? unowedTimeoutMs : owedTimeoutMs);
    });
  });
}

/** A refusal may close the connection before the other requests get responses. */
function silenceOf(
  { owed = 0, leaves }: DrawnBytes,
  { responses, rest, isLate }: { responses: readonly RawResponse[]; rest: string; isLate: boolean },
): string | undefined {
  const last = responses.at(-1);
  const isRefused = last !== undefined && last.status >= 400 && !isLate;
  if (leaves || responses.length >= owed || isRefused) return undefined;
  const how = isLate ? `${owedTimeoutMs / 1_000} s later` : 'when the connection was closed';
  return `${responses.length} of ${owed} answers ${how}${rest === '' ? '' : `, and ${JSON.stringify(rest.slice(0, 80))}`}`;
}
