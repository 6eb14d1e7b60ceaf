/** A whole answer, read as text in both directions: the least that whoever has to know what is in it can do. */

/** What is done before the upstream is asked; what it returns is done when the upstream has answered. */
export type Begin = (request: Request) => Promise<() => Promise<void>>;

export async function answerText(request: Request, url: string, begin?: Begin): Promise<Response> {
  const body = await request.text();
  JSON.parse(body);
  const end = await begin?.(request);
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', timeout: false });
  const text = await answer.text();
  JSON.parse(text);
  await end?.();
  return new Response(text, { status: answer.status, headers });
}
