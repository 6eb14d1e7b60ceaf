/**
 * An OpenAI-compatible provider that does what a test scripts: answers, stalls, fails, cuts or streams anything. It
 * records what it received and what it has delivered.
 */
import { eventOf, lastEvent } from '../../../local/demo-provider/event-stream.ts';
import { usageOf } from '../../../local/demo-provider/usage.ts';
import { chunkOf, completionOf, firstChunk, usageChunk } from './chunks.ts';

/** What the provider knows about one request. */
export interface Truth {
  readonly path: string;
  /** Begins with `?` if there is one. */
  readonly query: string;
  readonly headers: Headers;
  /** The exact text of the body: a parser hides duplicate names. */
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The content of the last message, by which a test recognises its request. */
  readonly prompt: string;
  /** Output tokens that were written to the connection. */
  deliveredTokens: number;
  /** The provider has processed nothing of it. */
  refused: boolean;
  /** The gateway has closed the connection before the end. */
  aborted: boolean;
  ended: boolean;
}

export type Behaviour = (truth: Truth, request: Request) => Response | Promise<Response>;

export interface ScriptedProvider {
  /** Ends in /v1. */
  readonly baseUrl: string;
  readonly requests: readonly Truth[];
  /** Sets what a model of this provider does from now on. */
  on(model: string, behaviour: Behaviour): void;
  stop(): Promise<void>;
}

export interface ScriptedProviderOptions {
  readonly tls?: { readonly cert: string; readonly key: string };
  /** False for campaigns that send more than fits into memory, and look at nothing of it. */
  readonly records?: boolean;
}

export function startScriptedProvider({ tls, records = true }: ScriptedProviderOptions = {}): ScriptedProvider {
  const behaviours = new Map<string, Behaviour>();
  const requests: Truth[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    // Otherwise Bun prints every connection that is broken on purpose.
    development: false,
    maxRequestBodySize: 256 * 1024 * 1024,
    ...(tls && { tls }),
    fetch: async (request) => {
      const truth = await readTruth(request);
      if (records) requests.push(truth);
      request.signal.addEventListener('abort', () => {
        truth.aborted = !truth.ended;
      });
      const behaviour = behaviours.get(String(truth.body.model ?? modelOfPath(truth.path)));
      return (behaviour ?? failWith(404, 'no such model'))(truth, request);
    },
  });
  return {
    baseUrl: `${server.url}v1`,
    requests,
    on: (model, behaviour) => void behaviours.set(model, behaviour),
    stop: () => server.stop(true),
  };
}

async function readTruth(request: Request): Promise<Truth> {
  const { url, headers } = request;
  const { pathname: path, search: query } = new URL(url);
  const isForm = headers.get('content-type')?.startsWith('multipart/form-data') ?? false;
  const text = isForm ? '' : await request.text();
  const body: Record<string, unknown> = isForm ? await readForm(request) : JSON.parse(text);
  const received = { path, query, headers, text, body, prompt: promptOf(body) };
  return { ...received, deliveredTokens: 0, refused: false, aborted: false, ended: false };
}

/** A field that is repeated is a list; a file is its bytes. */
async function readForm(request: Request): Promise<Record<string, unknown>> {
  const form = await request.formData();
  const body: Record<string, unknown> = {};
  for (const name of new Set(form.keys())) {
    const values = form.getAll(name);
    const read = values.map((value) => (typeof value === 'string' ? value : value.bytes()));
    const all = await Promise.all(read);
    body[name] = all.length === 1 && !name.endsWith('[]') ? all[0] : all;
  }
  return body;
}

/** Gemini and Bedrock have the model in the path: `/v1/models/{model}:generateContent`, `/v1/model/{model}/converse`. */
function modelOfPath(path: string): string | undefined {
  const [, model] = /\/models?\/([^/:]+)(?::\w+|\/converse(?:-stream)?)$/.exec(path) ?? [];
  return model === undefined ? undefined : decodeURIComponent(model);
}

function promptOf(body: Record<string, unknown>): string {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  const last: unknown = messages.at(-1);
  return typeof last === 'object' && last !== null && 'content' in last ? String(last.content) : '';
}

export function failWith(status: number, message: string, headers: Record<string, string> = {}): Behaviour {
  return (truth) => {
    truth.refused = true;
    return Response.json({ error: { message, type: 'scripted', code: null, param: null } }, { status, headers });
  };
}

/** Never responds. */
export const hang: Behaviour = async (_truth, request) => {
  await untilAborted(request.signal);
  return new Response(null, { status: 500 });
};

export const eventStream = 'text/event-stream';

/** Exactly these bytes, with this content type. */
export function rawResponse(body: string | Uint8Array<ArrayBuffer>, contentType = 'application/json'): Behaviour {
  return () => new Response(body, { headers: { 'content-type': contentType } });
}

/** A byte each time that the gateway reads. */
export function byteByByte(bytes: Uint8Array, contentType = eventStream): Behaviour {
  return () => {
    let position = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(bytes.slice(position, position + 1));
        position += 1;
        if (position >= bytes.length) controller.close();
      },
    });
    return new Response(body, { headers: { 'content-type': contentType } });
  };
}

export interface TokenCounts {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** A whole response. Without `usage` the provider reports none. */
export function wholeResponse(options: { content?: string; usage?: TokenCounts; delayMs?: number }): Behaviour {
  const { content = 'Hello.', usage, delayMs } = options;
  return async (truth) => {
    if (delayMs !== undefined) await Bun.sleep(delayMs);
    truth.deliveredTokens = usage?.completionTokens ?? 0;
    truth.ended = true;
    return Response.json({
      ...completionOf({ content }),
      ...(usage && { usage: usageOf(usage.promptTokens, usage.completionTokens) }),
    });
  };
}

export interface Writing {
  readonly truth: Truth;
  readonly signal: AbortSignal;
  write(text: string | Uint8Array): void;
}

/** A response in parts. It ends with the script, and its connection breaks if the script throws. */
export function writtenResponse(script: (to: Writing) => Promise<void>, contentType = eventStream): Behaviour {
  return (truth, { signal }) => {
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        const write = (text: string | Uint8Array) =>
          controller.enqueue(typeof text === 'string' ? encoder.encode(text) : text);
        try {
          await script({ truth, signal, write });
          if (signal.aborted) return;
          truth.ended = true;
          controller.close();
        } catch (error) {
          // The gateway has disconnected, or the script breaks the connection.
          controller.error(error);
        }
      },
      cancel() {
        truth.aborted = !truth.ended;
      },
    });
    return new Response(body, { headers: { 'content-type': contentType } });
  };
}

export interface StreamOptions {
  readonly tokens: number;
  readonly promptTokens?: number;
  readonly delayMs?: number;
  /** The last token waits for this. */
  readonly lastWhen?: Promise<unknown>;
  /** After this many tokens, but not before this resolves, all others are sent in one chunk; then nothing more. */
  readonly burst?: { readonly tokens: number; readonly when: Promise<unknown> };
  /** Reports its usage at the end. */
  readonly usage?: boolean;
  /** After this many tokens: `cut` closes the connection, `stall` keeps it open and silent, `error` sends an error. */
  readonly after?: {
    readonly tokens: number;
    readonly ends: 'cut' | 'stall' | 'error';
    /** But not before this resolves; breaking a connection may discard what was written just before. */
    readonly when?: Promise<unknown>;
  };
}

/** A stream with one token per chunk. */
export function streamedResponse(options: StreamOptions): Behaviour {
  const { tokens, promptTokens = 10, delayMs, lastWhen, burst, usage = true, after } = options;
  return writtenResponse(async ({ truth, signal, write }) => {
    write(eventOf(firstChunk));
    for (let token = 0; token < tokens; token += 1) {
      if (token === after?.tokens) {
        await after.when;
        if (after.ends === 'stall') return untilAborted(signal);
        if (after.ends === 'error') return write(eventOf({ error: { message: 'the model has crashed' } }));
        throw new Error('the connection breaks, as scripted');
      }
      if (token === burst?.tokens) {
        await burst.when;
        const others = Array.from({ length: tokens - token }, (_, index) => wordOf(token + index));
        write(others.map((content) => eventOf(chunkOf({ content }))).join(''));
        truth.deliveredTokens += others.length;
        return untilAborted(signal);
      }
      if (token === tokens - 1) await lastWhen;
      if (signal.aborted) return;
      write(eventOf(chunkOf({ content: wordOf(token) })));
      truth.deliveredTokens += 1;
      if (delayMs !== undefined) await Bun.sleep(delayMs);
    }
    write(eventOf(chunkOf({}, 'stop')));
    if (usage) write(eventOf(usageChunk(usageOf(promptTokens, tokens))));
    write(lastEvent);
  });
}

/** Three digits are one token of o200k_base, wherever they are in a number. */
export function wordOf(token: number): string {
  return String(token % 1_000).padStart(3, '0');
}

export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
