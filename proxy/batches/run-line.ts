/**
 * One line of a batch, on the ordinary path of a request: read, planned, held, sent, metered and charged as if its client had sent
 * it now, but without a connection. What it brings is a line of the output or of the errors.
 */
import { type ErrorCode, GatewayError } from '../../shared/errors.ts';
import { internalError, renderError } from '../../shared/http/render-error.ts';
import type { Caller } from '../request/admission/caller.ts';
import { type Endpoint, type Incoming, relay } from '../request/relay.ts';
import { type Deferred, NotKept } from '../request/response/deferred.ts';
import type { ProxyServices } from '../request/services.ts';
import type { Settle } from '../request/settlement/decision.ts';
import type { InputLine } from './input-lines.ts';

export type LineOutcome =
  /** It is in the log, and charged. */
  | { readonly kind: 'answered' }
  /** It will never be answered, and is free. */
  | { readonly kind: 'refused'; readonly text: string }
  /** It may be answered later. */
  | { readonly kind: 'postponed'; readonly code: ErrorCode; readonly retryAfterMs: number }
  /** The next proxy that takes the batch finds out. */
  | { readonly kind: 'left' };

export interface LineTask {
  readonly path: string;
  readonly endpoint: Endpoint;
  readonly line: InputLine;
  /** With which error each earlier attempt has ended. */
  readonly failures: readonly ErrorCode[];
  readonly caller: Caller;
  /** `text` is the line of the output. As of `Deferred`. */
  keep(text: string, charge: Settle): Promise<void>;
  readonly charging: Deferred['charging'];
  readonly batchedAt: NonNullable<Deferred['batchedAt']>;
}

/**
 * What may be over later, beside what requests in flight hold, and how many attempts of a line may end with it. Everything else would be
 * refused again. Providers may have worked, and have to be paid, for an attempt that took too long.
 */
const attemptsMax: ReadonlyMap<ErrorCode, number> = new Map([
  ['wallet_unavailable', Number.POSITIVE_INFINITY],
  ['rate_limit_exceeded', Number.POSITIVE_INFINITY],
  ['overloaded', Number.POSITIVE_INFINITY],
  ['no_healthy_deployment', Number.POSITIVE_INFINITY],
  ['shutting_down', Number.POSITIVE_INFINITY],
  ['upstream_error', 12],
  ['upstream_timeout', 3],
]);

export async function runLine(services: ProxyServices, task: LineTask): Promise<LineOutcome> {
  const { path, endpoint, line, caller } = task;
  const requestId = Bun.randomUUIDv7();
  const incoming: Incoming = {
    request: requestOf(path, line.body),
    requestId,
    headers: new Headers(),
    address: caller.address,
    arrived: () => {},
    body: undefined,
    modelId: '',
    caller,
    deferred: {
      charging: task.charging,
      batchedAt: task.batchedAt,
      keep: ({ text, charge }) =>
        task.keep(outputLine(line, { status: 200, requestId, body: inOneLine(text) }), charge),
    },
  };
  try {
    await relay(services, endpoint, incoming);
    return { kind: 'answered' };
  } catch (error) {
    if (error instanceof NotKept) return { kind: 'left' };
    const shown = error instanceof GatewayError ? error : internalError(requestId, error);
    const { code } = shown;
    if (mayPass(shown, task.failures)) {
      return { kind: 'postponed', code, retryAfterMs: (shown.retryAfterSeconds ?? 0) * 1_000 };
    }
    if (shown.status >= 500) services.log.error({ requestId, code, err: shown.cause ?? shown }, 'line failed');
    const body = JSON.stringify(endpoint.dialect?.renderError(shown, requestId) ?? renderError(shown).body);
    return { kind: 'refused', text: outputLine(line, { status: shown.status, requestId, body }) };
  } finally {
    incoming.body?.release();
  }
}

/** Whether another attempt may succeed. */
export function mayPass({ code, isReserved }: GatewayError, failures: readonly ErrorCode[]): boolean {
  const ended = failures.filter((failure) => failure === code).length + 1;
  return isReserved || ended < (attemptsMax.get(code) ?? 0);
}

/** A line that was never sent. */
export function unsentLine(
  { customId }: Pick<InputLine, 'customId'>,
  error: { readonly code: string; readonly message: string },
): string {
  return JSON.stringify({ id: newLineId(), custom_id: customId, response: null, error });
}

interface LineResponse {
  readonly status: number;
  readonly requestId: string;
  /** JSON text. */
  readonly body: string;
}

function outputLine({ customId }: InputLine, { status, requestId, body }: LineResponse): string {
  const response = `{"status_code":${status},"request_id":"${requestId}","body":${body}}`;
  return `{"id":"${newLineId()}","custom_id":${JSON.stringify(customId)},"response":${response},"error":null}`;
}

function newLineId(): string {
  return `batch_req_${crypto.randomUUID().replaceAll('-', '')}`;
}

/** In JSON, line breaks are only between values. */
function inOneLine(json: string): string {
  return json.replaceAll(/[\r\n]/g, ' ');
}

function requestOf(path: string, body: string): Request {
  const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
  return new Request(`http://batch${path}`, { method: 'POST', headers, body });
}
