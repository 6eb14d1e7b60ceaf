/**
 * Sends requests to providers over connections of their own (HTTP/1.1, RFC 9112): without the thread in which `fetch` runs,
 * which costs two changes of thread a request.
 */
import { monotonicMs } from '../../../../shared/durations.ts';
import type { HttpResponse } from '../../../nouns/http-response.ts';
import type { UpstreamRequest } from '../../../providers/adapter.ts';
import type { Connection, Origin, SentRequest } from './connection.ts';
import { ConnectionPool } from './connection-pool.ts';
import { Exchange } from './exchange.ts';

export interface PostOptions {
  /** PEM: the authorities that are trusted instead of the usual ones. */
  readonly ca?: string | undefined;
  /** Closes the connection, unless the response is complete. */
  readonly signal: AbortSignal;
}

interface Target {
  readonly origin: Origin;
  /** The head of each request to it, up to its own fields. */
  readonly head: string;
  /** The fields that were sent last: most requests have the same. */
  headers: UpstreamRequest['headers'];
  fields: string;
}

/** A connection that is closed later was not being closed when the request was sent: its server has worked on it. */
const closingMs = 1_000;
const targetsMax = 1_000;
/** Everything that cannot be part of a field: with it, a value would become another field. */
const unfitForField = /[^\t\x20-\x7e]/;
/** Some servers refuse requests without them. */
const usualFields: Readonly<Record<string, string>> = {
  accept: '*/*',
  'accept-encoding': 'identity',
  'user-agent': 'model-gateway',
};
const fieldName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

export class HttpClient {
  readonly #pool = new ConnectionPool();
  readonly #targets = new Map<string, Target>();

  /** Resolves with the head of the response. Rejects with the reason of the signal, or with what is wrong. */
  async post({ url, headers, body }: UpstreamRequest, { ca, signal }: PostOptions): Promise<HttpResponse> {
    signal.throwIfAborted();
    const target = this.#targetOf(url, ca);
    const { origin } = target;
    const length = lengthOf(body);
    const request: SentRequest = { method: 'POST', head: headOf(target, headers, length), body, length };
    const connection = this.#pool.take(origin);
    if (connection !== undefined) {
      const exchange = new Exchange();
      const sentAtMs = monotonicMs();
      try {
        return await this.#exchange(connection, { exchange, request, signal });
      } catch (error) {
        // The server may have closed the idle connection at that moment. Then the request is sent once more, on a new one.
        const isStale = !exchange.isAnswered && monotonicMs() - sentAtMs < closingMs;
        if (signal.aborted || !isStale) throw error;
      }
    }
    const opened = await this.#open(origin, signal);
    return this.#exchange(opened, { exchange: new Exchange(), request, signal });
  }

  /** Closes connections that no request uses. */
  close(): void {
    this.#pool.close();
  }

  async #open(origin: Origin, signal: AbortSignal): Promise<Connection> {
    const aborted = Promise.withResolvers<never>();
    const onAbort = () => aborted.reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    const connection = this.#pool.create(origin);
    try {
      await Promise.race([connection.open(), aborted.promise]);
      return connection;
    } catch (error) {
      // Also of a server that has accepted the connection and does not answer its handshake.
      connection.close();
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Throws, or resolves with the head of the response. */
  #exchange(
    connection: Connection,
    { exchange, request, signal }: { exchange: Exchange; request: SentRequest; signal: AbortSignal },
  ): Promise<HttpResponse> {
    // There is no event any more if it was aborted between the opening and now.
    if (signal.aborted) connection.close();
    signal.throwIfAborted();
    exchange.obey(signal);
    connection.send(exchange, request);
    return exchange.response;
  }

  #targetOf(url: string, ca: string | undefined): Target {
    const key = ca === undefined ? url : `${url} ${ca}`;
    const known = this.#targets.get(key);
    if (known !== undefined) return known;
    const { protocol, hostname, port, host, pathname, search } = new URL(url);
    const isSecure = protocol === 'https:';
    // Addresses of IPv6 are in brackets, which are not part of them.
    const address = hostname.replace(/^\[(.*)\]$/, '$1');
    const target: Target = {
      origin: {
        key: `${protocol}//${host} ${ca ?? ''}`,
        hostname: address,
        port: Number(port) || (isSecure ? 443 : 80),
        isSecure,
        ca,
      },
      head: `POST ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n`,
      headers: noHeaders,
      fields: fieldsOf(noHeaders),
    };
    // Of catalogues there are few.
    if (this.#targets.size >= targetsMax) this.#targets.clear();
    this.#targets.set(key, target);
    return target;
  }
}

const noHeaders: UpstreamRequest['headers'] = {};

function headOf(target: Target, headers: UpstreamRequest['headers'], length: number): string {
  if (target.headers !== headers) {
    target.fields = fieldsOf(headers);
    target.headers = headers;
  }
  return `${target.head}content-length: ${length}\r\n${target.fields}`;
}

function lengthOf(body: UpstreamRequest['body']): number {
  if (typeof body === 'string') return Buffer.byteLength(body);
  if (body instanceof Blob) return body.size;
  let length = 0;
  for (const part of body) length += typeof part === 'string' ? Buffer.byteLength(part) : part.byteLength;
  return length;
}

/** With the empty line behind them. Names are in lower case. Throws if one of them is not a field. */
function fieldsOf(headers: UpstreamRequest['headers']): string {
  let fields = '';
  for (const name in usualFields) if (headers[name] === undefined) fields += `${name}: ${usualFields[name]}\r\n`;
  for (const name in headers) {
    const value = headers[name] ?? '';
    if (!fieldName.test(name) || unfitForField.test(value))
      throw new TypeError(`the header field ${name} cannot be sent`);
    fields += `${name}: ${value}\r\n`;
  }
  return `${fields}\r\n`;
}
