/**
 * An OpenAI-compatible provider that does what a test scripts: answers, stalls, fails, cuts or streams anything. It
 * records what it received and what it has delivered.
 */

/** What the provider knows about one request. */
export interface Truth {
  readonly path: string;
  /** Begins with `?` if there is one. */
  readonly query: string;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
  /** The content of the last message, by which a test recognises its request. */
  readonly prompt: string;
  /** Output tokens that were written to the connection. */
  deliveredTokens: number;
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

export function startScriptedProvider(): ScriptedProvider {
  const behaviours = new Map<string, Behaviour>();
  const requests: Truth[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    // Otherwise Bun prints every connection that is broken on purpose.
    development: false,
    maxRequestBodySize: 256 * 1024 * 1024,
    fetch: async (request) => {
      const body: Record<string, unknown> = JSON.parse(await request.text());
      const truth: Truth = {
        path: new URL(request.url).pathname,
        query: new URL(request.url).search,
        headers: request.headers,
        body,
        prompt: promptOf(body),
        deliveredTokens: 0,
        aborted: false,
        ended: false,
      };
      requests.push(truth);
      request.signal.addEventListener('abort', () => {
        truth.aborted = !truth.ended;
      });
      const behaviour = behaviours.get(String(body.model ?? modelOfPath(truth.path)));
      return behaviour === undefined ? failWith(404, 'no such model')(truth, request) : behaviour(truth, request);
    },
  });
  return {
    baseUrl: `http://127.0.0.1:${server.port}/v1`,
    requests,
    on: (model, behaviour) => void behaviours.set(model, behaviour),
    stop: () => server.stop(true),
  };
}

export interface TokenCounts {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** A whole response. Without `usage` the provider reports none. */
export function wholeResponse(options: { content?: string; usage?: TokenCounts; delayMs?: number }): Behaviour {
  return async (truth) => {
    if (options.delayMs !== undefined) await Bun.sleep(options.delayMs);
    truth.deliveredTokens = options.usage?.completionTokens ?? 0;
    truth.ended = true;
    return Response.json({
      ...head('chat.completion'),
      choices: [
        { index: 0, message: { role: 'assistant', content: options.content ?? 'Hello.' }, finish_reason: 'stop' },
      ],
      ...(options.usage === undefined ? {} : { usage: usageObject(options.usage) }),
    });
  };
}

export interface StreamOptions {
  readonly tokens: number;
  readonly promptTokens?: number;
  readonly delayMs?: number;
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
  return (truth, request) => {
    const { signal } = request;
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        const write = (text: string) => controller.enqueue(encoder.encode(text));
        try {
          await writeTokens({ options, truth, signal, write });
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
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
}

async function writeTokens(context: {
  options: StreamOptions;
  truth: Truth;
  signal: AbortSignal;
  write: (text: string) => void;
}): Promise<void> {
  const { options, truth, signal, write } = context;
  const chunkOf = (delta: object, finish: string | null) =>
    event({ ...head('chat.completion.chunk'), choices: [{ index: 0, delta, finish_reason: finish }] });
  const chunk = (delta: object, finish: string | null) => write(chunkOf(delta, finish));
  chunk({ role: 'assistant', content: '' }, null);
  for (let token = 0; token < options.tokens; token += 1) {
    if (token === options.after?.tokens) {
      await options.after.when;
      if (options.after.ends === 'stall') return waitForAbort(signal);
      if (options.after.ends === 'error') return write(event({ error: { message: 'the model has crashed' } }));
      throw new Error('the connection breaks, as scripted');
    }
    if (token === options.burst?.tokens) {
      await options.burst.when;
      const others = Array.from({ length: options.tokens - token }, (_, index) => wordOf(token + index));
      write(others.map((content) => chunkOf({ content }, null)).join(''));
      truth.deliveredTokens += others.length;
      return waitForAbort(signal);
    }
    if (signal.aborted) return;
    chunk({ content: wordOf(token) }, null);
    truth.deliveredTokens += 1;
    if (options.delayMs !== undefined) await Bun.sleep(options.delayMs);
  }
  chunk({}, 'stop');
  if (options.usage !== false) {
    const usage = usageObject({ promptTokens: options.promptTokens ?? 10, completionTokens: options.tokens });
    write(event({ ...head('chat.completion.chunk'), choices: [], usage }));
  }
  write('data: [DONE]\n\n');
}

/** Three digits are one token of o200k_base, wherever they are in a number. */
export function wordOf(token: number): string {
  return String(token % 1_000).padStart(3, '0');
}

export function failWith(status: number, message: string, headers: Record<string, string> = {}): Behaviour {
  return () => Response.json({ error: { message, type: 'scripted', code: null, param: null } }, { status, headers });
}

/** Never responds. */
export const hang: Behaviour = async (_truth, request) => {
  await waitForAbort(request.signal);
  return new Response(null, { status: 500 });
};

/** Exactly these bytes, with this content type. */
export function rawResponse(body: string | Uint8Array<ArrayBuffer>, contentType = 'application/json'): Behaviour {
  return () => new Response(body, { headers: { 'content-type': contentType } });
}

function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function head(object: string) {
  return { id: 'chatcmpl-scripted', object, created: 1_790_000_000, model: 'scripted-model' };
}

function usageObject({ promptTokens, completionTokens }: TokenCounts) {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

function event(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
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
