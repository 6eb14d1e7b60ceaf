/** Chat completions by plain HTTP, for tests that check status, headers and bytes themselves. */
import type { Program } from '../programs.ts';

export function chat(
  proxy: Pick<Program, 'url'> | undefined,
  key: string,
  body: Readonly<Record<string, unknown>>,
  options: { signal?: AbortSignal } = {},
): Promise<Response> {
  if (proxy === undefined) throw new Error('no proxy');
  return fetch(`${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello?' }], ...body }),
    ...options,
  });
}

export async function errorCodeOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: { code: string } };
  return error.code;
}
