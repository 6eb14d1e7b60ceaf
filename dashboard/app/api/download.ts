/** Downloads that need the access token, which a link cannot send. */
import { session } from '../session/session.ts';
import { ApiError, errorOfResponse, networkError } from './api-error.ts';

/** A file may take any time, as long as more of it arrives. */
const silenceMaxMs = 60_000;

interface DownloadOptions {
  /** By default, the name that the response has. */
  readonly fileName?: string;
  /** Called with the number of bytes received so far. */
  readonly onBytes?: (count: number) => void;
}

/** Saves the response as a file. Throws ApiError, also if it is interrupted. */
export async function download(path: string, { fileName, onBytes = () => {} }: DownloadOptions = {}): Promise<void> {
  const silence = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), silenceMaxMs);
  };
  heard();
  try {
    const request = new Request(new URL(path, location.origin), { signal: silence.signal });
    const response = await session.fetch(request).catch(failForNetwork);
    if (!response.ok) throw errorOfResponse(response, await response.json().catch(() => undefined));
    let count = 0;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform: (part, controller) => {
        heard();
        count += part.length;
        onBytes(count);
        controller.enqueue(part);
      },
    });
    const file = new Response(response.body?.pipeThrough(counted), { headers: response.headers });
    saveFile(await file.blob().catch(failForNetwork), fileName ?? nameOf(response));
  } finally {
    clearTimeout(timer);
  }
}

/** For what the page has itself. */
export function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function failForNetwork(cause: unknown): never {
  throw cause instanceof ApiError ? cause : networkError(cause);
}

function nameOf({ headers, url }: Response): string {
  const [, name] = /filename="([^"]+)"/.exec(headers.get('content-disposition') ?? '') ?? [];
  return name ?? new URL(url).pathname.split('/').at(-1) ?? 'download';
}
