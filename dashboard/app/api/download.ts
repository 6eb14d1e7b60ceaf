/** Downloads that need the access token, which a link cannot send. */
import { session } from '../session/session.ts';
import { errorOfResponse, networkError } from './api-error.ts';

/** Saves the response under the name that it has. Throws ApiError, also if it breaks off. `onBytes`: received so far. */
export async function download(path: string, onBytes: (count: number) => void = () => {}): Promise<void> {
  const response = await session.fetch(new Request(new URL(path, location.origin)));
  if (!response.ok) throw errorOfResponse(response, await response.json().catch(() => undefined));
  let count = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform: (part, controller) => {
      count += part.length;
      onBytes(count);
      controller.enqueue(part);
    },
  });
  const file = new Response(response.body?.pipeThrough(counted), { headers: response.headers });
  const blob = await file.blob().catch((cause: unknown) => {
    throw networkError(cause);
  });
  save(blob, nameOf(response));
}

function nameOf({ headers, url }: Response): string {
  const [, name] = /filename="([^"]+)"/.exec(headers.get('content-disposition') ?? '') ?? [];
  return name ?? new URL(url).pathname.split('/').at(-1) ?? 'download';
}

function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
