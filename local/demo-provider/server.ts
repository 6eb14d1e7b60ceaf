/**
 * The demo provider: an OpenAI-compatible server without a model, so that everything in front of it, from
 * the key to the bill, can be tried without a provider's account. It requires no key.
 */
import { completeChat } from './chat/chat.ts';
import { completeText } from './completion.ts';
import { embed } from './embeddings/embeddings.ts';
import { errorResponse, RequestError } from './errors.ts';
import { activeStreams } from './event-stream.ts';
import { editImages, generateImages } from './images.ts';
import { listModels } from './models.ts';
import { moderate } from './moderation.ts';
import { rank } from './rerank.ts';
import { speak } from './speech.ts';
import { transcribe } from './transcription.ts';

const bodyBytesMax = 70 * 1024 * 1024;

export interface DemoProviderOptions {
  hostname: string;
  port: number;
  /** The pace of streams; 0 sends everything immediately. */
  tokensPerSecond: number;
}

export function startDemoProvider({ hostname, port, tokensPerSecond }: DemoProviderOptions) {
  return Bun.serve({
    hostname,
    port,
    maxRequestBodySize: bodyBytesMax,
    // A slow stream is not an idle connection.
    idleTimeout: 0,
    routes: {
      '/healthz': () => Response.json({ ok: true, activeStreams: activeStreams() }),
      '/v1/models': { GET: listModels },
      '/v1/chat/completions': { POST: (request) => handle(request, (body) => completeChat(body, tokensPerSecond)) },
      '/v1/completions': { POST: (request) => handle(request, (body) => completeText(body, tokensPerSecond)) },
      '/v1/embeddings': { POST: (request) => handle(request, embed) },
      '/v1/images/edits': { POST: (request) => handleForm(request, editImages) },
      '/v1/images/generations': { POST: (request) => handle(request, (body) => generateImages(body)) },
      '/v1/moderations': { POST: (request) => handle(request, moderate) },
      '/v1/rerank': { POST: (request) => handle(request, rank) },
      '/v1/audio/transcriptions': { POST: (request) => handleForm(request, transcribe) },
      '/v1/audio/translations': { POST: (request) => handleForm(request, transcribe) },
      '/v1/audio/speech': { POST: (request) => handle(request, (body) => speak(body, tokensPerSecond)) },
    },
    fetch: ({ method, url }) =>
      errorResponse(new RequestError(`There is no ${method} ${new URL(url).pathname} here.`, { status: 404 })),
  });
}

async function handle(request: Request, complete: (body: unknown) => Response): Promise<Response> {
  try {
    return complete(await readJson(request));
  } catch (error) {
    return errorResponse(error);
  }
}

async function handleForm(
  request: Request,
  complete: (form: Awaited<ReturnType<Request['formData']>>) => Promise<Response>,
): Promise<Response> {
  try {
    return await complete(await request.formData());
  } catch (error) {
    return errorResponse(error instanceof TypeError ? new RequestError('The body is not a form.') : error);
  }
}

async function readJson(request: Request): Promise<unknown> {
  try {
    return await request.json();
  } catch {
    throw new RequestError('The body is not JSON.');
  }
}
