/** Reads an answer's body as text, up to a limit of its size as it is after decompression. */
import { UpstreamFailure } from './upstream-failure.ts';

export async function readText(
  response: Response,
  { maxBytes, onBytes }: { maxBytes: number; onBytes?: (bytes: number) => void },
): Promise<string> {
  // What comes compressed is larger than what is announced.
  const announced = response.headers.has('content-encoding') ? null : response.headers.get('content-length');
  if (announced !== null && Number(announced) <= maxBytes) return response.text();
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    onBytes?.(chunk.byteLength);
    if (bytes > maxBytes) throw new UpstreamFailure('malformed', 'The provider answered more than can be taken.');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
