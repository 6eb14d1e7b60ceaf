/** A whole response, read as text in both directions: the minimum for a server that needs its content. */
import { readText } from '../../../proxy/nouns/read-text.ts';
import { HttpClient } from '../../../proxy/request/upstream/http/http-client.ts';

/** Sends a body of JSON, and resolves with that of the response. */
export type Send = (url: string, body: string) => Promise<{ readonly status: number; readonly text: string }>;

const headers = { 'content-type': 'application/json' };
const bodyBytesMax = 1_000_000;

export async function forwardText(request: Request, url: string, send: Send): Promise<Response> {
  const body = await request.text();
  JSON.parse(body);
  const { status, text } = await send(url, body);
  JSON.parse(text);
  return new Response(text, { status, headers });
}

export const byFetch: Send = async (url, body) => {
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', timeout: false });
  return { status: response.status, text: await response.text() };
};

/** The gateway's own connections to providers. */
export function byClient(): Send {
  const client = new HttpClient();
  return async (url, body) => {
    const response = await client.post({ url, headers, body }, { signal: new AbortController().signal });
    return { status: response.status, text: await readText(response, { maxBytes: bodyBytesMax }) };
  };
}
