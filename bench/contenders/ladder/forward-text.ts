/** A whole response, read as text in both directions: the minimum for a server that needs its content. */

/** Runs before the upstream is called; the function it returns runs after the upstream has responded. */
export type Begin = (request: Request) => Promise<() => Promise<void>>;

export async function forwardText(request: Request, url: string, begin?: Begin): Promise<Response> {
  const body = await request.text();
  JSON.parse(body);
  const end = await begin?.(request);
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', timeout: false });
  const text = await response.text();
  JSON.parse(text);
  await end?.();
  return new Response(text, { status: response.status, headers });
}
