/** Anthropic's Message Batches (https://docs.anthropic.com/en/api/creating-message-batches). */
import { parseExact } from '../../nouns/json/parse-exact.ts';
import { asRecord, asText, type JsonRecord } from '../../nouns/json/record.ts';
import {
  type BatchApi,
  type BatchCalls,
  type BatchLine,
  type BatchProtocol,
  idOf,
  type LineResponse,
} from '../batch-api.ts';
import { messagesHeaders } from './request/build-request.ts';

const path = '/messages/batches';
/** Of a request that was refused: its error has a type, and no status. */
const statuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  overloaded_error: 529,
};

export const anthropicBatches: BatchProtocol = {
  headers: ({ apiKey }) => messagesHeaders(apiKey, 'application/json'),
  open: (calls) => new AnthropicBatches(calls),
};

class AnthropicBatches implements BatchApi {
  readonly #calls: BatchCalls;

  constructor(calls: BatchCalls) {
    this.#calls = calls;
  }

  async create(lines: readonly BatchLine[]): Promise<string> {
    const requests = lines.map(({ number, body }) => `{"custom_id":"${number}","params":${body}}`);
    return idOf(await this.#calls.post(path, `{"requests":[${requests.join(',')}]}`));
  }

  async hasEnded(id: string): Promise<boolean> {
    const { processing_status: status } = await this.#calls.get(`${path}/${id}`);
    return status === 'ended';
  }

  async cancel(id: string): Promise<void> {
    if (!(await this.hasEnded(id))) await this.#calls.post(`${path}/${id}/cancel`);
  }

  async *responses(id: string): AsyncGenerator<LineResponse> {
    for await (const text of this.#calls.lines(`${path}/${id}/results`)) {
      const response = readLine(text);
      if (response !== undefined) yield response;
    }
  }

  remove(id: string): Promise<void> {
    return this.#calls.remove(`${path}/${id}`);
  }
}

function readLine(text: string): LineResponse | undefined {
  if (text.trim() === '') return undefined;
  const { custom_id: customId, result } = asRecord(parseExact(text));
  const { type, message, error } = asRecord(result);
  const number = Number(customId);
  if (type === 'succeeded') return { number, status: 200, body: JSON.stringify(message ?? null) };
  if (type !== 'errored') return undefined;
  return { number, status: statusOf(asRecord(error)), body: JSON.stringify(error ?? null) };
}

/** `{"type":"error","error":{"type":"invalid_request_error","message":"…"}}` */
function statusOf({ error }: JsonRecord): number {
  return statuses[asText(asRecord(error).type) ?? ''] ?? 500;
}
