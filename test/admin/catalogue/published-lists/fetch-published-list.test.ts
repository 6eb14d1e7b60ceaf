/** A price list is fetched whole and in time from where an operator may have it, or not at all. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { fetchPublishedList } from '../../../../admin/catalogue/published-lists/fetch-published-list.ts';
import { type ListServer, startListServer } from './list-server.ts';

let server: ListServer;
beforeAll(() => {
  server = startListServer();
});
afterAll(() => server.stop());

const never = new Promise<Response>(() => {});
const reasonOf = (fetching: Promise<unknown>) => fetching.then(String, (error: Error) => error.message);

test('a list is fetched as it is', async () => {
  server.answer = () => new Response('{"é":1.5e-07}');
  expect(await fetchPublishedList(server.url)).toBe('{"é":1.5e-07}');
});

test('an error, a redirect and a list that is too long are failures', async () => {
  server.answer = () => new Response('not here', { status: 503 });
  expect(await reasonOf(fetchPublishedList(server.url))).toBe("the price list's server responded with status 503");
  server.answer = ({ url }) =>
    url.endsWith('/other') ? new Response('{}') : new Response(null, { status: 302, headers: { location: '/other' } });
  const asked = server.asked;
  await expect(fetchPublishedList(server.url)).rejects.toThrow();
  expect(server.asked).toBe(asked + 1);
  server.answer = () => new Response('x'.repeat(101));
  expect(await reasonOf(fetchPublishedList(server.url, { maxBytes: 100 }))).toBe(
    "the price list's response is larger than 100 bytes",
  );
});

test('a server that does not answer is given up, and so is one when the program stops', async () => {
  server.answer = () => never;
  await expect(fetchPublishedList(server.url, { timeoutMs: 20 })).rejects.toThrow();
  const stopping = new AbortController();
  const fetching = fetchPublishedList(server.url, { signal: stopping.signal });
  stopping.abort(new Error('stopping'));
  expect(await reasonOf(fetching)).toBe('stopping');
});
