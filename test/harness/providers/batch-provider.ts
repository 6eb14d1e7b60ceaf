/**
 * A provider with batches of its own, in OpenAI's or Anthropic's form, which also takes requests on their own. A test decides what
 * becomes of each line, and when a batch ends.
 */
import { usageOf } from '../../../local/demo-provider/usage.ts';
import { completionOf } from './chunks.ts';

export const batchForms = ['openai', 'openai-responses', 'anthropic'] as const;
export type BatchForm = (typeof batchForms)[number];

/** `missing` has no result; `malformed` has a response that is none. */
export type Fate =
  | { readonly kind: 'answered'; readonly promptTokens: number; readonly completionTokens: number }
  | { readonly kind: 'refused' | 'failed' | 'missing' | 'malformed' };

export interface ProviderBatch {
  readonly id: string;
  /** The prompts of its lines. */
  readonly prompts: readonly string[];
  status: 'running' | 'ended' | 'cancelling' | 'cancelled';
}

export interface BatchProvider {
  /** Ends in /v1. */
  readonly baseUrl: string;
  readonly batches: readonly ProviderBatch[];
  /** The prompts of requests that were sent on their own. */
  readonly alone: readonly string[];
  /** Ids of files, and of batches with results, that it still keeps. */
  readonly kept: ReadonlySet<string>;
  /** What becomes of the line with this prompt. Answered by default. */
  fateOf: (prompt: string) => Fate;
  /** Batches run until it is set; then they end. */
  isDone: boolean;
  /** Until it is set, batches that are cancelled have not ended. */
  isCancelDone: boolean;
  /** The status with which it refuses to make a batch. */
  refusesWith: number | undefined;
  /** Whether it fails to remove anything. */
  keepsAll: boolean;
  /** How often it has refused to make one. */
  refusals: number;
  /** How often the results of a batch have been read. */
  reads: number;
  /** As when it was started, for the next test. */
  reset(): void;
  stop(): Promise<void>;
}

interface Line {
  readonly custom_id: string;
  readonly body: Record<string, unknown>;
}

export function startBatchProvider(form: BatchForm): BatchProvider {
  const files = new Map<string, string>();
  const batches: (ProviderBatch & { readonly lines: readonly Line[]; readonly input?: string })[] = [];
  const kept = new Set<string>();
  const alone: string[] = [];
  let nextId = 0;
  const newId = (kind: string) => {
    nextId += 1;
    return `${kind}_${nextId}`;
  };
  const fateOf = (line: Line) => provider.fateOf(promptOf(line.body));
  const create = (lines: readonly Line[], input?: string) => {
    const batch = {
      ...{
        id: newId(form === 'anthropic' ? 'msgbatch' : 'batch'),
        lines,
        prompts: lines.map((line) => promptOf(line.body)),
      },
      status: 'running' as const,
      ...(input !== undefined && { input }),
    };
    batches.push(batch);
    if (form === 'anthropic') kept.add(batch.id);
    return batch;
  };
  const keep = (text: string) => {
    const id = newId('file');
    files.set(id, text);
    kept.add(id);
    return id;
  };
  /** The files of an ended batch are made when it is first looked at. */
  const results = new Map<string, { output: string; errors: string }>();
  const resultsOf = (batch: (typeof batches)[number]) => {
    const known = results.get(batch.id);
    if (known !== undefined) return known;
    const lines = batch.lines.flatMap((line) => {
      const text = renderResult(form, line, fateOf(line));
      return text === undefined ? [] : [{ isError: fateOf(line).kind === 'refused', text }];
    });
    const textOf = (isError: boolean) =>
      lines.flatMap((line) => (line.isError === isError ? [`${line.text}\n`] : [])).join('');
    const made =
      form === 'anthropic'
        ? { output: textOf(false) + textOf(true), errors: '' }
        : { output: keep(textOf(false)), errors: keep(textOf(true)) };
    results.set(batch.id, made);
    return made;
  };
  const look = (batch: (typeof batches)[number]) => {
    if (batch.status === 'running' && provider.isDone) batch.status = 'ended';
    if (batch.status === 'cancelling' && provider.isCancelDone) batch.status = 'cancelled';
    return batch;
  };

  const server = Bun.serve({
    ...{ hostname: '127.0.0.1', port: 0, idleTimeout: 0, development: false, maxRequestBodySize: 512 * 1024 * 1024 },
    fetch: async (request) => {
      const path = new URL(request.url).pathname.replace(/^\/v1/, '').replace('/messages/batches', '/batches');
      const [, room, id = '', rest = ''] = /^\/(\w+)(?:\/([^/]+))?(?:\/(.+))?$/.exec(path) ?? [];
      const { method } = request;
      if (request.headers.get(form === 'anthropic' ? 'x-api-key' : 'authorization') === null) return refusal(401);
      if (room === 'files' && method === 'POST') {
        const file = (await request.formData()).get('file');
        return Response.json({ id: keep(file instanceof Blob ? await file.text() : '') });
      }
      if (room === 'files' && method === 'GET') {
        provider.reads += 1;
        return new Response(files.get(id) ?? null, { status: files.has(id) ? 200 : 404 });
      }
      if (method === 'DELETE') {
        if (provider.keepsAll) return refusal(500);
        files.delete(id);
        return kept.delete(id) ? Response.json({ id, deleted: true }) : refusal(404);
      }
      if (room === 'batches' && id === '') {
        if (provider.refusesWith !== undefined) {
          provider.refusals += 1;
          return refusal(provider.refusesWith);
        }
        const body = (await request.json()) as Record<string, unknown>;
        if (form !== 'anthropic') {
          const text = files.get(String(body.input_file_id)) ?? '';
          const lines = text
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line) as Line);
          return Response.json(renderBatch(form, create(lines, String(body.input_file_id)), undefined));
        }
        const asked = body.requests as { custom_id: string; params: Record<string, unknown> }[];
        return Response.json(
          renderBatch(
            form,
            create(asked.map(({ custom_id: customId, params }) => ({ custom_id: customId, body: params }))),
            undefined,
          ),
        );
      }
      if (room === 'batches') {
        const batch = batches.find((each) => each.id === id);
        if (batch === undefined) return refusal(404);
        if (rest === 'cancel' && !hasEnded(batch)) batch.status = 'cancelling';
        look(batch);
        if (rest === 'results') {
          provider.reads += 1;
          return new Response(resultsOf(batch).output);
        }
        return Response.json(renderBatch(form, batch, hasEnded(batch) ? resultsOf(batch) : undefined));
      }
      const body = (await request.json()) as Record<string, unknown>;
      const prompt = promptOf(body);
      alone.push(prompt);
      return Response.json(answerOf(form, { promptTokens: 10, completionTokens: 10 }));
    },
  });
  const provider: BatchProvider = {
    ...{ baseUrl: `${server.url}v1`, batches, alone, kept },
    ...initial,
    reset: () => {
      for (const collection of [files, kept, results]) collection.clear();
      for (const list of [batches, alone]) list.length = 0;
      Object.assign(provider, initial);
    },
    stop: () => server.stop(true),
  };
  return provider;
}

const initial = {
  fateOf: () => ({ kind: 'answered', promptTokens: 10, completionTokens: 10 }) as const,
  ...{ isDone: true, isCancelDone: true },
  ...{ refusesWith: undefined, refusals: 0, keepsAll: false, reads: 0 },
};

const hasEnded = ({ status }: ProviderBatch) => status === 'ended' || status === 'cancelled';
const refusal = (status: number) => Response.json({ error: { message: 'scripted', type: 'scripted' } }, { status });

function promptOf(body: Record<string, unknown>): string {
  const [first] = (body.messages ?? body.input ?? []) as { content?: unknown }[];
  const { content } = first ?? {};
  if (typeof content === 'string') return content;
  return String((content as { text?: string }[] | undefined)?.[0]?.text);
}

const anthropicStatuses = { running: 'in_progress', cancelling: 'canceling', ended: 'ended', cancelled: 'ended' };

function renderBatch(
  form: BatchForm,
  { id, status, input }: ProviderBatch & { readonly input?: string },
  results: { readonly output: string; readonly errors: string } | undefined,
) {
  if (form === 'anthropic') return { id, type: 'message_batch', processing_status: anthropicStatuses[status] };
  const shown = status === 'running' ? 'in_progress' : status === 'ended' ? 'completed' : status;
  return {
    id,
    object: 'batch',
    status: shown,
    input_file_id: input,
    output_file_id: results?.output ?? null,
    error_file_id: results?.errors ?? null,
  };
}

function renderResult(form: BatchForm, { custom_id: customId }: Line, fate: Fate): string | undefined {
  if (fate.kind === 'missing') return undefined;
  const error = {
    type: 'error',
    error: { type: fate.kind === 'refused' ? 'invalid_request_error' : 'api_error', message: 'Not like that.' },
  };
  if (form === 'anthropic') {
    if (fate.kind === 'answered')
      return JSON.stringify({ custom_id: customId, result: { type: 'succeeded', message: answerOf(form, fate) } });
    if (fate.kind === 'malformed')
      return JSON.stringify({ custom_id: customId, result: { type: 'succeeded', message: null } });
    return JSON.stringify({ custom_id: customId, result: { type: 'errored', error } });
  }
  const status = { answered: 200, malformed: 200, refused: 400, failed: 500 }[fate.kind];
  const body =
    fate.kind === 'answered' ? answerOf(form, fate) : fate.kind === 'malformed' ? null : { error: error.error };
  return JSON.stringify({
    id: 'x',
    custom_id: customId,
    response: { status_code: status, request_id: 'x', body },
    error: null,
  });
}

function answerOf(
  form: BatchForm,
  { promptTokens, completionTokens }: Omit<Fate & { kind: 'answered' }, 'kind'>,
): object {
  if (form === 'openai')
    return { ...completionOf({ content: 'Hello.' }), usage: usageOf(promptTokens, completionTokens) };
  const usage = { input_tokens: promptTokens, output_tokens: completionTokens };
  if (form === 'anthropic') {
    return {
      ...{
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'upstream',
        stop_reason: 'end_turn',
        stop_sequence: null,
      },
      content: [{ type: 'text', text: 'Hello.' }],
      usage,
    };
  }
  const content = [{ type: 'output_text', text: 'Hello.', annotations: [] }];
  return {
    ...{ id: 'resp_1', object: 'response', created_at: 1_790_000_000, status: 'completed', model: 'upstream' },
    output: [{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content }],
    usage: { ...usage, total_tokens: promptTokens + completionTokens },
  };
}
