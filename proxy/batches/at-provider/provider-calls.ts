/** Calls of a provider that has batches: an upload takes minutes, anything else seconds. */
import { withoutTrailingSlashes } from '../../../shared/http/base-url.ts';
import { readJson } from '../../../shared/read-json.ts';
import { httpResponseOf } from '../../nouns/http-response.ts';
import { asRecord, type JsonRecord } from '../../nouns/json/record.ts';
import { responseMaxBytes } from '../../nouns/limits.ts';
import { readText } from '../../nouns/read-text.ts';
import { UpstreamFailure } from '../../nouns/upstream-failure.ts';
import type { Deployment } from '../../pricing/catalogue.ts';
import type { BatchCalls, BatchProtocol } from '../../providers/batch-api.ts';
import type { Credentials } from '../../providers/credentials/credentials.ts';
import { LineTooLong, readLines } from '../../storage/read-lines.ts';

const callTimeoutMs = 60_000;
const fileTimeoutMs = 30 * 60_000;
const answerMaxBytes = 1024 * 1024;
/** Of a response, written as JSON in a line that names it. */
const lineMaxBytes = responseMaxBytes + 64 * 1024;

interface CallOptions {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly body?: string | FormData | undefined;
  readonly timeoutMs: number;
}

export class ProviderCalls implements BatchCalls {
  readonly #credentials: Credentials;
  readonly #protocol: BatchProtocol;
  readonly #deployment: Deployment;

  constructor(credentials: Credentials, protocol: BatchProtocol, deployment: Deployment) {
    this.#credentials = credentials;
    this.#protocol = protocol;
    this.#deployment = deployment;
  }

  async get(path: string): Promise<JsonRecord> {
    return readAnswer(await this.#call(path, { method: 'GET', timeoutMs: callTimeoutMs }));
  }

  async post(path: string, body?: string | FormData): Promise<JsonRecord> {
    const timeoutMs = body === undefined ? callTimeoutMs : fileTimeoutMs;
    return readAnswer(await this.#call(path, { method: 'POST', body, timeoutMs }));
  }

  async remove(path: string): Promise<void> {
    try {
      await readAnswer(await this.#call(path, { method: 'DELETE', timeoutMs: callTimeoutMs }));
    } catch (error) {
      if (!(error instanceof UpstreamFailure && error.status === 404)) throw error;
    }
  }

  async *lines(path: string): AsyncGenerator<string> {
    const { body } = await this.#call(path, { method: 'GET', timeoutMs: fileTimeoutMs });
    if (body === null) return;
    try {
      yield* readLines(body, lineMaxBytes);
    } catch (cause) {
      if (cause instanceof LineTooLong || cause instanceof TypeError) {
        throw new UpstreamFailure('malformed', 'The provider returned a file that cannot be read.', { cause });
      }
      throw new UpstreamFailure('cut', 'The provider ended its response early.', { cause });
    }
  }

  /** Throws UpstreamFailure if it is no success. */
  async #call(path: string, { method, body, timeoutMs }: CallOptions): Promise<Response> {
    const { provider } = this.#deployment;
    const signal = AbortSignal.timeout(timeoutMs);
    const { apiKey, ca } = await this.#credentials.accessTo(provider, { signal });
    const headers = new Headers(this.#protocol.headers({ deployment: this.#deployment, apiKey }));
    // A form brings its own.
    if (typeof body !== 'string') headers.delete('content-type');
    const init: BunFetchRequestInit = { method, headers, signal, redirect: 'manual', timeout: false };
    if (body !== undefined) init.body = body;
    if (ca !== undefined) init.tls = { ca };
    const response = await fetch(urlOf(this.#deployment, path), init).catch((cause: unknown) => {
      if (signal.aborted) throw new UpstreamFailure('timeout', 'The provider did not respond in time.', { cause });
      throw new UpstreamFailure('unreachable', 'The provider could not be reached.', { cause });
    });
    if (response.ok) return response;
    const text = await readText(httpResponseOf(response), { maxBytes: answerMaxBytes }).catch(() => '');
    throw new UpstreamFailure('refused', `The provider returned status ${response.status}.`, {
      status: response.status,
      cause: text,
    });
  }
}

async function readAnswer(response: Response): Promise<JsonRecord> {
  return asRecord(readJson(await readText(httpResponseOf(response), { maxBytes: answerMaxBytes })));
}

function urlOf({ provider: { baseUrl, quirks } }: Deployment, path: string): string {
  const query = new URLSearchParams(quirks.query).toString();
  return `${withoutTrailingSlashes(baseUrl)}${path}${query === '' ? '' : `?${query}`}`;
}
