/**
 * A customer cannot name a file at a provider, through the real programs: such files belong to the gateway's account, and
 * may be the operator's or another customer's.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { startGateway } from '../../harness/gateway.ts';
import { respondInAnyProtocol } from '../../harness/providers/any-protocol.ts';

const { harness, provider, proxy, stop } = await startGateway({
  catalogue: (baseUrl) => `
providers:
  - { id: openai, protocol: openai, baseUrl: "${baseUrl}" }
  - { id: google, protocol: gemini, baseUrl: "${baseUrl}" }
models:
  - { id: test/openai, kind: chat, ownedBy: test, contextTokens: 100000, maxOutputTokens: 100,
      price: { prompt: "1", completion: "1" }, deployments: [{ provider: openai, model: m }] }
  - { id: test/gemini, kind: chat, ownedBy: test, contextTokens: 100000, maxOutputTokens: 100,
      price: { prompt: "1", completion: "1" }, deployments: [{ provider: google, model: m }] }
`,
});
const { proxyKey } = await harness.createCustomer({ usd: '5' });

afterAll(stop);
provider.on('m', respondInAnyProtocol);

async function ask(path: string, model: string, fields: object) {
  const before = provider.requests.length;
  const response = await fetch(`${proxy.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${proxyKey}` },
    body: JSON.stringify({ model, ...fields }),
  });
  const { error } = (await response.json()) as { error?: { code: string; param: string; message: string } };
  return {
    status: response.status,
    code: error?.code,
    param: error?.param,
    message: error?.message,
    sent: provider.requests.slice(before).map(({ text }) => text),
  };
}

const refused = (param: string) => ({
  status: 400,
  code: 'unsupported_parameter',
  param,
  message: `'${param}' is not supported: files at a provider belong to the gateway's account there. Send the content of the file, or a public https: URL.`,
  sent: [],
});
const user = (content: unknown, extra: object = {}) => ({
  max_tokens: 10,
  messages: [{ role: 'user', content, ...extra }],
});
const image = (url: string) => ({ type: 'image_url', image_url: { url } });
const uploaded = 'https://generativelanguage.googleapis.com/v1beta/files/abc';
const part = 'messages[0].content[0]';

describe("chat completions refuse the provider's file", () => {
  test.each<[object, string]>([
    [user([{ type: 'file', file: { file_id: 'file-1' } }]), `${part}.file.file_id`],
    [user([{ type: 'file', file: { file_data: 'data:,a', file_id: 'file-1' } }]), `${part}.file.file_id`],
    [user([{ type: 'file', file: { File_ID: 'file-1' } }]), `${part}.file.File_ID`],
    [user([{ type: 'file', file: { filename: 'a' }, file_id: 'file-1' }]), `${part}.file_id`],
    [user([{ type: 'image_file', image_file: { file_id: 'file-1' } }]), `${part}.image_file.file_id`],
    [user([{ type: 'document', source: [{ fileId: 'file-1' }] }]), `${part}.source[0].fileId`],
    [user([image('gs://bucket/a.png')]), `${part}.image_url.url`],
    [user([image(' S3://bucket/a.png')]), `${part}.image_url.url`],
    [user([image('ms://file-1')]), `${part}.image_url.url`],
    [user([image(uploaded)]), `${part}.image_url.url`],
    [user([{ type: 'file', file: { file_data: uploaded } }]), `${part}.file.file_data`],
    [user([{ type: 'video_url', video_url: { url: 'oss://bucket/a.mp4' } }]), `${part}.video_url.url`],
    [user('fileid://file-1'), 'messages[0].content'],
    [user([{ type: 'text', text: 'fileid://file-1' }]), `${part}.text`],
    [user('Hello?', { attachments: ['file-1'] }), 'messages[0].attachments'],
    [user('Hello?', { file_ids: ['file-1'] }), 'messages[0].file_ids'],
    [user('Hello?', { images: ['gs://bucket/a.png'] }), 'messages[0].images[0]'],
    [user('Hello?', { audio: { id: 'audio-1' } }), 'messages[0].audio'],
  ])('%j, and so does a quote', async (fields, param) => {
    for (const model of ['test/openai', 'test/gemini']) {
      expect(await ask('/v1/chat/completions', model, fields)).toEqual(refused(param));
      expect(await ask('/v1/quote', model, fields)).toEqual(refused(param));
    }
  });
});

describe("messages refuse the provider's file", () => {
  test.each<[object, string]>([
    [{ type: 'image', source: { type: 'file', file_id: 'file-1' } }, `${part}.source.file_id`],
    [{ type: 'document', source: { type: 'file', file_id: 'file-1' } }, `${part}.source.file_id`],
    [{ type: 'image', source: { type: 'url', url: 'gs://bucket/a.png' } }, `${part}.source.url`],
    [{ type: 'document', source: { type: 'url', url: uploaded } }, `${part}.source.url`],
  ])('%j, and so does counting tokens', async (block, param) => {
    const { message } = refused(param);
    for (const path of ['/v1/messages', '/v1/messages/count_tokens']) {
      const { status, message: text, sent } = await ask(path, 'test/gemini', user([block]));
      expect([status, text, sent]).toEqual([400, message, []]);
    }
  });
});

describe("responses refuse the provider's file", () => {
  test.each<[object, string]>([
    [{ type: 'input_file', file_id: 'file-1' }, 'input[0].content[0].file_id'],
    [{ type: 'input_image', file_id: 'file-1' }, 'input[0].content[0].file_id'],
    [{ type: 'input_file', file_url: 'gs://bucket/a.pdf' }, 'input[0].content[0].file_url'],
    [{ type: 'input_file', file_data: uploaded }, 'input[0].content[0].file_data'],
    [{ type: 'input_image', image_url: 'gs://bucket/a.png' }, 'input[0].content[0].image_url'],
  ])('%j', async (content, param) => {
    const input = [{ role: 'user', content: [content] }];
    expect(await ask('/v1/responses', 'test/gemini', { input })).toEqual(refused(param));
  });
});

test.each([
  user([image('https://example.com/a.png')]),
  user([image('data:image/png;base64,iVBORw0KGgo=')]),
  user([{ type: 'file', file: { filename: 'a.txt', file_data: 'data:text/plain,gs://bucket/a' } }]),
  user([{ type: 'text', text: 'gs://bucket/a and https://example.com, but not fileid://file-1' }]),
  user('gs://bucket/a'),
])('a public URL, data and plain text are sent: %j', async (fields) => {
  for (const model of ['test/openai', 'test/gemini']) {
    const { status, sent } = await ask('/v1/chat/completions', model, fields);
    expect([status, sent.length]).toEqual([200, 1]);
  }
});
