/**
 * A customer cannot make a provider fetch from a private network: URLs of loopback, private and metadata addresses are
 * refused before anything is sent, in every spelling that some fetcher understands.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { isPublicUrl } from '../../../shared/http/public-url.ts';
import { startGateway } from '../../harness/gateway.ts';

/** Address blocks that are not public, as the first address and the number of random low bits. */
const privateBlocks: readonly (readonly [string, number])[] = [
  ...([
    ['0.0.0.0', 24],
    ['10.0.0.0', 24],
    ['100.64.0.0', 22],
    ['127.0.0.0', 24],
    ['169.254.0.0', 16],
  ] as const),
  ...([
    ['172.16.0.0', 20],
    ['192.0.0.0', 8],
    ['192.168.0.0', 16],
    ['198.18.0.0', 17],
    ['224.0.0.0', 28],
  ] as const),
  // The metadata of AWS, Google, Azure and others; of Azure; of Alibaba; of Oracle.
  ...([
    ['169.254.169.254', 0],
    ['168.63.129.16', 0],
    ['100.100.100.200', 0],
    ['192.0.0.192', 0],
  ] as const),
];
const numberOf = (address: string) => address.split('.').reduce((number, part) => number * 256 + Number(part), 0);
const partsOf = (number: number) => [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256);

const privateAddress = fc
  .tuple(fc.constantFrom(...privateBlocks), fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }))
  .map(([[first, bits], within]) => numberOf(first) + Math.floor(within * 2 ** bits));
const publicAddress = fc.constantFrom('1.1.1.1', '8.8.8.8', '93.184.215.14', '172.15.0.1', '192.167.9.9').map(numberOf);

/** What inet_aton reads: each part decimal, octal or hexadecimal, and the last ones together. */
const partSpelling = fc.constantFrom(
  (part: number) => String(part),
  (part: number) => `0${part.toString(8)}`,
  (part: number) => `000${part.toString(8)}`,
  (part: number) => `0x${part.toString(16)}`,
  (part: number) => `0X${part.toString(16).toUpperCase().padStart(8, '0')}`,
);
const joins = fc.constantFrom(1, 2, 3, 4);
const numericHost = (address: fc.Arbitrary<number>) =>
  fc.tuple(address, joins, fc.array(partSpelling, { minLength: 4, maxLength: 4 })).map(([number, count, spell]) => {
    const first = partsOf(number).slice(0, count - 1);
    const rest = number % 2 ** (8 * (5 - count));
    return [...first, rest].map((part, index) => spell[index]?.(part)).join('.');
  });
const wide = (text: string) =>
  text.replaceAll(/[!-~]/g, (sign) => String.fromCodePoint((sign.codePointAt(0) ?? 0) + 0xfee0));
const percent = (text: string) => text.replaceAll(/./g, (sign) => `%${(sign.codePointAt(0) ?? 0).toString(16)}`);
const disguise = fc.constantFrom(
  (host: string) => host,
  (host: string) => `${host}.`,
  wide,
  percent,
  (host: string) => host.replaceAll('.', '。'),
);

const hex = (number: number) => number.toString(16);
const ipv6Host = privateAddress.chain((number) => {
  const [high, low] = [hex(Math.floor(number / 65_536)), hex(number % 65_536)];
  const dotted = partsOf(number).join('.');
  return fc.constantFrom(
    ...[`::ffff:${dotted}`, `::ffff:${high}:${low}`, `0:0:0:0:0:FFFF:${high}:${low}`, `::${dotted}`],
    ...[`64:ff9b::${dotted}`, `64:ff9b:1::${dotted}`, `2002:${high}:${low}::1`, `2001:0:${high}:${low}::1`],
    ...['::1', '::', '0:0:0:0:0:0:0:1', 'fe80::1', 'FE80::1', 'fc00::1', 'fd00:ec2::254', 'ff02::1', 'fec0::1'],
    'fe80::1%25eth0',
  );
});
const privateName = fc.constantFrom(
  ...['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'redis', 'metadata', 'metadata.google.internal'],
  ...['METADATA.google.internal.', 'redis.gateway.svc.cluster.local', 'printer.local', 'host.docker.internal'],
  ...['ip6-localhost', 'localhost.localdomain', 'wiki.corp', 'router.lan', 'nas.home.arpa', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ'],
);
const privateHost = fc.oneof(
  fc.tuple(numericHost(privateAddress), disguise).map(([host, change]) => change(host)),
  ipv6Host.map((address) => `[${address}]`),
  privateName,
);

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

test('no spelling of a private host is accepted as public', () => {
  fc.assert(
    fc.property(
      privateHost.chain((host) => fc.tuple(fc.constant(host), anyUrl(host))),
      ([host, url]) => !isPublicUrl(url) && !isPublicUrl(`http://${host}/`),
    ),
    { numRuns: 20_000 },
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
