/**
 * What Open WebUI, LibreChat and n8n ask for beside chats, as their sources say: the list of models, embeddings of documents,
 * recordings and speech, images.
 */
import { afterAll, expect, test } from 'bun:test';
import { spentAtRest } from '../../../harness/books.ts';
import { startGateway } from '../../../harness/gateway.ts';
import { catalogueOfEachKind } from '../../../harness/providers/each-kind.ts';
import { imageBase64, imagesResponse } from '../../../harness/providers/images.ts';
import { transcript, wavOf } from '../../../harness/providers/recordings.ts';
import { plainAudio } from '../../../harness/providers/speech.ts';
import { vectors, vectorsResponse } from '../../clients/matrix/scripted-responses.ts';

const { harness, provider, proxy, stop } = await startGateway({ catalogue: catalogueOfEachKind });
afterAll(stop);

const openWebUiHeaders = { 'x-openwebui-user-name': 'Ada', 'x-openwebui-user-email': 'ada@example.com' };

async function visit() {
  const { accountId, proxyKey } = await harness.createCustomer({ usd: '5' });
  return {
    authorization: { authorization: `Bearer ${proxyKey}` },
    spent: () => spentAtRest(harness, accountId),
  };
}

const json = (body: object): RequestInit => ({ method: 'POST', body: JSON.stringify(body) });

async function send(path: string, init: RequestInit, headers: Readonly<Record<string, string>>) {
  const type = typeof init.body === 'string' ? { 'content-type': 'application/json' } : {};
  const response = await fetch(`${proxy.url}/v1${path}`, { ...init, headers: { ...type, ...headers } });
  expect(response.status).toBe(200);
  return response;
}

test('the list of models, which also checks the connection and the key', async () => {
  const { authorization, spent } = await visit();
  const response = await send('/models', {}, { ...openWebUiHeaders, ...authorization });
  const { object, data } = (await response.json()) as { object: string; data: { id: string; object: string }[] };
  expect(object).toBe('list');
  expect(data).toContainEqual(expect.objectContaining({ id: 'test/chat', object: 'model', owned_by: 'test' }));
  expect(await spent()).toBe(0n);
});

test.each([
  ['Open WebUI', {}],
  ["n8n and LibreChat's other clients of LangChain", { encoding_format: 'base64' }],
])('embeddings of documents: %s', async (_, more) => {
  const { authorization, spent } = await visit();
  provider.on('upstream-embedding', vectorsResponse);
  const body = { model: 'test/embedding', input: ['One.', 'Two.'], ...more };
  const response = await send('/embeddings', json(body), { ...openWebUiHeaders, ...authorization });
  const { data } = (await response.json()) as { data: { embedding: number[] | string }[] };
  const read = data.map(({ embedding }) =>
    typeof embedding === 'string' ? [...new Float32Array(Uint8Array.fromBase64(embedding).buffer)] : embedding,
  );
  expect(read).toEqual(vectors);
  expect(typeof data[0]?.embedding).toBe('encoding_format' in more ? 'string' : 'object');
  expect(provider.requests.at(-1)?.body.input).toEqual(['One.', 'Two.']);
  expect(await spent()).toBe(10_000n);
});

test('the transcript of a recording: Open WebUI', async () => {
  const { authorization, spent } = await visit();
  provider.on('upstream-transcription', transcript());
  const form = new FormData();
  form.set('file', new File([wavOf(8)], 'recording.wav'));
  form.set('model', 'test/transcription');
  form.set('language', 'en');
  const response = await send('/audio/transcriptions', { method: 'POST', body: form }, authorization);
  expect(await response.json()).toMatchObject({ text: expect.stringMatching(/./) });
  expect(provider.requests.at(-1)?.body).toMatchObject({ language: 'en' });
  expect(await spent()).toBe(800_000n);
});

test('a response read aloud: Open WebUI', async () => {
  const { authorization, spent } = await visit();
  provider.on('upstream-speech', plainAudio([Uint8Array.of(1, 2, 3)]));
  const body = { model: 'test/speech', input: 'Hello.', voice: 'alloy' };
  const response = await send('/audio/speech', json(body), { ...openWebUiHeaders, ...authorization });
  expect(await response.bytes()).toEqual(Uint8Array.of(1, 2, 3));
  expect(provider.requests.at(-1)?.body).toMatchObject({ input: 'Hello.', voice: 'alloy' });
  expect(await spent()).toBe(6_000n);
});

test('an image: Open WebUI', async () => {
  const { authorization, spent } = await visit();
  provider.on('upstream-image', imagesResponse(1, {}));
  const body = { model: 'test/image', prompt: 'A cat', n: 1, response_format: 'b64_json' };
  const response = await send('/images/generations', json(body), authorization);
  expect(await response.json()).toMatchObject({ data: [{ b64_json: imageBase64 }] });
  expect(await spent()).toBe(1_000_000n);
});
