/**
 * A customer cannot make a provider fetch from a private network: URLs of loopback, private and metadata addresses are
 * refused before anything is sent, in every spelling that some fetcher understands.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { isPublicUrl } from '../../../shared/http/public-url.ts';
import { inCampaign } from '../../harness/campaigns.ts';
import { startGateway } from '../../harness/gateway.ts';
import { numericHost, partsOf, privateHost, publicAddress } from '../../harness/hostile-hosts.ts';

/** Variations of a host that fetchers skip, normalise or read as something else. */
const anyUrl = (host: string) =>
  fc
    .record({
      lead: fc.constantFrom('', ' ', '\t\n', '\u0001', ' '.repeat(100)),
      scheme: fc.constantFrom('http', 'https', 'HTTP', 'hTTps', 'ht\ntp', 'http\t'),
      slashes: fc.constantFrom('://', ':/', ':', ':///', ':\\\\', ':/\\', ':\n//'),
      user: fc.constantFrom(
        '',
        'user@',
        'example.com@',
        'a:b@',
        'example.com:80@',
        'example.com%2f@',
        'example.com\\@',
      ),
      port: fc.constantFrom('', ':80', ':', ':6379'),
      path: fc.constantFrom('', '/', '/latest/meta-data/a.png', '?a.png', '#a.png', '\\a.png'),
    })
    .map(({ lead, scheme, slashes, user, port, path }) => `${lead}${scheme}${slashes}${user}${host}${port}${path}`);

test('no spelling of a private host is accepted as public (campaign)', () => {
  fc.assert(
    fc.property(
      privateHost.chain((host) => fc.tuple(fc.constant(host), anyUrl(host))),
      ([host, url]) => !isPublicUrl(url) && !isPublicUrl(`http://${host}/`),
    ),
    { numRuns: inCampaign(5_000, 20_000) },
  );
});

test('a public host is public in its usual spelling, and an address in no other', () => {
  const publicHost = fc.oneof(
    publicAddress.map((number) => partsOf(number).join('.')),
    fc.constantFrom(
      'example.com',
      'EXAMPLE.com',
      'a-b.example.co.uk',
      'пример.рф',
      'xn--e1afmkfd.xn--p1ai',
      'example.com.',
    ),
    fc.constantFrom('[2606:4700:4700::1111]', '[2A00:1450:4001:0:0:0:0:1]'),
  );
  const rest = fc.constantFrom('', '/', '/a b.png', '/@user/a.png', '?url=http://127.0.0.1/', '#x', ':8443/a.png');
  const scheme = fc.constantFrom('http', 'https', 'HTTPS');
  fc.assert(fc.property(scheme, publicHost, rest, (name, host, path) => isPublicUrl(`${name}://${host}${path}`)));
  fc.assert(
    fc.property(
      publicAddress.chain((number) => fc.tuple(fc.constant(number), numericHost(fc.constant(number)))),
      ([number, host]) =>
        host === partsOf(number).join('.') ? isPublicUrl(`http://${host}/`) : !isPublicUrl(`http://${host}/`),
    ),
  );
});

const { harness, provider, proxy, stop } = await startGateway();
const { proxyKey } = await harness.createCustomer({ usd: '5' });
afterAll(stop);

async function ask(path: string, body: object) {
  const response = await fetch(`${proxy.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${proxyKey}` },
    body: JSON.stringify({ model: 'test/chat', ...body }),
  });
  const { error } = Object(await response.json());
  return {
    status: response.status,
    code: error?.code,
    type: error?.type,
    param: error?.param,
    message: error?.message,
  };
}

const user = (...content: object[]) => ({ max_tokens: 5, messages: [{ role: 'user', content }] });
const input = (part: object) => ({ max_output_tokens: 5, input: [{ role: 'user', content: [part] }] });
const forms: readonly (readonly [string, string, string, (url: string) => object])[] = [
  [
    'an image',
    '/v1/chat/completions',
    'messages[0].content[0].image_url.url',
    (url) => user({ type: 'image_url', image_url: { url } }),
  ],
  [
    'a quote',
    '/v1/quote',
    'messages[0].content[0].image_url.url',
    (url) => user({ type: 'image_url', image_url: { url } }),
  ],
  [
    'a file',
    '/v1/chat/completions',
    'messages[0].content[0].file.file_data',
    (url) => user({ type: 'file', file: { file_data: url } }),
  ],
  [
    'a video',
    '/v1/chat/completions',
    'messages[0].content[0].video_url.url',
    (url) => user({ type: 'video_url', video_url: { url } }),
  ],
  [
    'an unknown member',
    '/v1/chat/completions',
    'messages[0].images[0]',
    (url) => ({ messages: [{ role: 'user', content: 'Hi', images: [url] }] }),
  ],
  [
    'an image of responses',
    '/v1/responses',
    'input[0].content[0].image_url',
    (url) => input({ type: 'input_image', image_url: url }),
  ],
  [
    'a file of responses',
    '/v1/responses',
    'input[0].content[0].file_url',
    (url) => input({ type: 'input_file', file_url: url }),
  ],
  [
    'an image of messages',
    '/v1/messages',
    'messages[0].content[0].source.url',
    (url) => user({ type: 'image', source: { type: 'url', url } }),
  ],
  [
    'a document of messages',
    '/v1/messages/count_tokens',
    'messages[0].content[0].source.url',
    (url) => user({ type: 'document', source: { type: 'url', url } }),
  ],
];

describe.each(forms)('%s', (_, path, param, bodyOf) => {
  test('of a private host is refused before anything is sent, however it is spelled', async () => {
    const before = provider.requests.length;
    const hosts = fc.sample(privateHost.chain(anyUrl), { seed: 7, numRuns: 40 });
    for (const url of ['http://169.254.169.254/latest/meta-data/', 'http://localhost:6379/', ...hosts]) {
      const { status, message } = await ask(path, bodyOf(url));
      expect([url, status, message]).toEqual([url, 400, expect.stringContaining(`'${param}'`)]);
    }
    expect(provider.requests.length).toBe(before);
  });
});

test.each([
  '//169.254.169.254/a.png',
  '169.254.169.254/a.png',
  'file:/etc/passwd',
  'ftp:example.com',
  'javascript:1',
  '',
])('a member that must be a URL is data: or http: or https:, not %j', async (url) => {
  const before = provider.requests.length;
  expect((await ask('/v1/chat/completions', user({ type: 'image_url', image_url: { url } }))).status).toBe(400);
  expect(provider.requests.length).toBe(before);
});
