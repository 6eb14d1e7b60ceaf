/** Batches as a customer runs them, with the official client: lines in, what each has brought out. */
import OpenAI, { toFile } from 'openai';
import type { Batch, BatchCreateParams } from 'openai/resources/batches';
import { guardTimeoutMs, waitFor } from '../account-view.ts';
import type { Served } from '../programs.ts';

export interface LineResult {
  readonly id: string;
  readonly custom_id: string;
  readonly response: {
    readonly status_code: number;
    readonly request_id: string;
    readonly body: Readonly<Record<string, unknown>> & {
      readonly usage?: { readonly cost: number };
      readonly error?: { readonly code: string };
    };
  } | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

export interface BatchResults {
  readonly batch: Batch;
  readonly output: readonly LineResult[];
  readonly errors: readonly LineResult[];
}

type Endpoint = BatchCreateParams['endpoint'];

export const clientOf = (proxy: Served, apiKey: string, maxRetries = 0) =>
  new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey, maxRetries });

/** The lines of an input, each with the body that `bodyOf` makes of its number. */
export function linesOf(count: number, bodyOf: (number: number) => object, url: Endpoint = '/v1/chat/completions') {
  const line = (number: number) => ({ custom_id: `line-${number}`, method: 'POST', url, body: bodyOf(number) });
  return Array.from({ length: count }, (_, index) => JSON.stringify(line(index + 1)));
}

export async function createBatch(
  client: OpenAI,
  lines: readonly string[],
  more: Partial<BatchCreateParams> = {},
): Promise<Batch> {
  const file = await client.files.create({
    file: await toFile(Buffer.from(lines.map((line) => `${line}\n`).join('')), 'input.jsonl'),
    purpose: 'batch',
  });
  const input = { input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' } as const;
  return client.batches.create({ ...input, ...more });
}

/** A proxy looks at its batches every second, and each question takes it, and the client here, a millisecond. */
const askEveryMs = 100;

/** While no proxy can be reached, it waits too. */
export async function endOf(client: OpenAI, { id }: Pick<Batch, 'id'>): Promise<Batch> {
  return waitFor(`the end of ${id}`, guardTimeoutMs, async () => {
    await Bun.sleep(askEveryMs);
    const batch = await client.batches.retrieve(id).catch(() => undefined);
    return batch && ['completed', 'failed', 'expired', 'cancelled'].includes(batch.status) ? batch : undefined;
  });
}

export async function resultsOf(client: OpenAI, batch: Batch): Promise<BatchResults> {
  const read = async (id: string | undefined | null) => {
    if (id === undefined || id === null) return [];
    const text = await (await client.files.content(id)).text();
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as LineResult);
  };
  return { batch, output: await read(batch.output_file_id), errors: await read(batch.error_file_id) };
}

export async function runToEnd(client: OpenAI, lines: readonly string[], more?: Partial<BatchCreateParams>) {
  return resultsOf(client, await endOf(client, await createBatch(client, lines, more)));
}
