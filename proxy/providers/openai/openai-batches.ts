/** OpenAI's batches: a file of lines is uploaded, and the responses are a file too (https://platform.openai.com/docs/api-reference/batch). */

import { parseExact } from '../../nouns/json/parse-exact.ts';
import { asRecord, type JsonRecord } from '../../nouns/json/record.ts';
import {
  type BatchApi,
  type BatchCalls,
  type BatchLine,
  type BatchProtocol,
  idOf,
  type LineResponse,
} from '../batch-api.ts';
import { providerTargetOf } from './request/provider-request.ts';

const endings = new Set(['completed', 'failed', 'expired', 'cancelled']);
const resultFields = ['output_file_id', 'error_file_id'] as const;

export const openaiBatches: BatchProtocol = {
  headers: (target) => providerTargetOf({ ...target, outputCap: 0 }, 'chat').wholeHeaders,
  open: (calls) => new OpenAIBatches(calls),
};

class OpenAIBatches implements BatchApi {
  readonly #calls: BatchCalls;

  constructor(calls: BatchCalls) {
    this.#calls = calls;
  }

  async create(lines: readonly BatchLine[]): Promise<string> {
    const [first] = lines;
    if (first === undefined) throw new Error('a batch has at least one line');
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', new Blob(lines.map(writeLine), { type: 'application/jsonl' }), 'lines.jsonl');
    const fileId = idOf(await this.#calls.post('/files', form));
    const batch = { input_file_id: fileId, endpoint: endpointOf(first.url), completion_window: '24h' };
    try {
      return idOf(await this.#calls.post('/batches', JSON.stringify(batch)));
    } catch (error) {
      await this.#calls.remove(`/files/${fileId}`).catch(() => {});
      throw error;
    }
  }

  async hasEnded(id: string): Promise<boolean> {
    const { status } = await this.#find(id);
    return endings.has(String(status));
  }

  async cancel(id: string): Promise<void> {
    if (!(await this.hasEnded(id))) await this.#calls.post(`/batches/${id}/cancel`);
  }

  /** Requests that were refused are in the file of errors, with their response. */
  async *responses(id: string): AsyncGenerator<LineResponse> {
    const batch = await this.#find(id);
    for (const fileId of filesOf(batch, resultFields)) {
      for await (const text of this.#calls.lines(`/files/${fileId}/content`)) {
        const response = readLine(text);
        if (response !== undefined) yield response;
      }
    }
  }

  /** OpenAI keeps the batch itself, without its contents. */
  async remove(id: string): Promise<void> {
    const batch = await this.#find(id);
    for (const fileId of filesOf(batch, ['input_file_id', ...resultFields])) {
      await this.#calls.remove(`/files/${fileId}`);
    }
  }

  #find(id: string): Promise<JsonRecord> {
    return this.#calls.get(`/batches/${id}`);
  }
}

/** Throws UpstreamFailure. */
function filesOf(batch: JsonRecord, fields: readonly string[]): string[] {
  return fields.flatMap((field) => ((batch[field] ?? null) === null ? [] : [idOf({ id: batch[field] })]));
}

function writeLine({ number, url, body }: BatchLine): string {
  const head = JSON.stringify({ custom_id: String(number), method: 'POST', url: endpointOf(url) });
  return `${head.slice(0, -1)},"body":${body}}\n`;
}

/** `https://api.openai.com/v1/chat/completions` → `/v1/chat/completions` */
function endpointOf(url: string): string {
  const { pathname } = new URL(url);
  return /\/v1\/.*$/.exec(pathname)?.[0] ?? pathname;
}

function readLine(text: string): LineResponse | undefined {
  if (text.trim() === '') return undefined;
  const { custom_id: number, response } = asRecord(parseExact(text));
  const { status_code: status, body } = asRecord(response);
  if (typeof status !== 'number') return undefined;
  return { number: Number(number), status, body: JSON.stringify(body ?? null) };
}
