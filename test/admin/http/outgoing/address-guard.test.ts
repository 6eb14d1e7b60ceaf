/** What customers can have admin connect to: public https addresses, judged when a name is resolved for the very connection. */
import { expect, test } from 'bun:test';
import type { LookupAddress } from 'node:dns';
import fc from 'fast-check';
import {
  AddressRefused,
  checkAddress,
  guardedLookup,
  resolveName,
} from '../../../../admin/http/outgoing/address-guard.ts';
import { ipv6Host, partsOf, privateAddress, privateHost } from '../../../harness/hostile-hosts.ts';

const isRefused = (url: string) => {
  try {
    checkAddress(url, 'public');
    return false;
  } catch (error) {
    return error instanceof AddressRefused;
  }
};
const at = (address: string): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 });

test('no spelling of a private host passes, with any port, path or user', () => {
  const part = fc.record({
    scheme: fc.constantFrom('https', 'HTTPS', 'http'),
    user: fc.constantFrom('', 'user@', 'example.com@', 'a:b@', 'example.com\\@'),
    port: fc.constantFrom('', ':443', ':8443', ':6379'),
    path: fc.constantFrom('', '/', '/latest/meta-data', '?a=b', '#c'),
  });
  fc.assert(
    fc.property(privateHost, part, (host, { scheme, user, port, path }) =>
      isRefused(`${scheme}://${user}${host}${port}${path}`),
    ),
    { numRuns: 20_000 },
  );
});

test.each([
  'http://example.com/',
  'https://user@example.com/',
  'https://user:password@example.com/',
  'https://example.com:80/',
  'https://example.com:25/',
  'https://example.com:1023/',
  'https://example.com:0/',
  'https://example.com:65536/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'https://',
  'example.com',
  '',
])('%p is refused', (url) => {
  expect(isRefused(url)).toBe(true);
});

test.each([
  'https://example.com',
  'https://example.com:443/hooks?tenant=7',
  'https://example.com:1024/',
  'https://example.com:8443/a/b',
  'https://xn--e1afmkfd.xn--p1ai/',
  'https://8.8.8.8/',
  'https://[2606:4700:4700::1111]/',
])('%s passes', (url) => {
  expect(isRefused(url)).toBe(false);
});

test('where any address is allowed, it is still a web address without a user', () => {
  expect(checkAddress('http://127.0.0.1:9000/x', 'any').host).toBe('127.0.0.1:9000');
  for (const url of ['ftp://127.0.0.1/', 'http://user@127.0.0.1/', 'nonsense']) {
    expect(() => checkAddress(url, 'any')).toThrow(AddressRefused);
  }
});

test('a name is refused if any of its addresses is private, whatever their order and form', async () => {
  const ipv4 = privateAddress.map((number) => partsOf(number).join('.'));
  const private6 = ipv6Host.map((host) => host.replace('%25', '%'));
  await fc.assert(
    fc.asyncProperty(fc.oneof(ipv4, private6), fc.constantFrom('first', 'last', 'only'), async (address, place) => {
      const publicOnes = [at('8.8.8.8'), at('2606:4700:4700::1111')];
      const addresses = {
        first: [at(address), ...publicOnes],
        last: [...publicOnes, at(address)],
        only: [at(address)],
      };
      const resolve = async () => addresses[place];
      await expect(resolveName('hooks.example', { reach: 'public', resolve })).rejects.toThrow(
        'leads to a private address',
      );
    }),
    { numRuns: 2_000 },
  );
});

test.each([true, false])('a connection asks once, and gets what was judged (all: %p)', async (all) => {
  let asked = 0;
  const resolve = async () => {
    asked += 1;
    return [at(asked === 1 ? '8.8.8.8' : '127.0.0.1')];
  };
  const lookup = guardedLookup({ reach: 'public', resolve });
  const look = () =>
    new Promise<unknown>((done) =>
      lookup('hooks.example', { all }, (error, address) => done(error === null ? address : error.message)),
    );
  expect(await look()).toEqual(all ? [at('8.8.8.8')] : '8.8.8.8');
  expect(asked).toBe(1);
  expect(await look()).toBe('hooks.example leads to a private address');
});

test('the system resolves names by default, and its errors are passed on', async () => {
  await expect(resolveName('localhost', { reach: 'public' })).rejects.toThrow('localhost leads to a private address');
  const failing = async () => {
    throw new Error('getaddrinfo ENOTFOUND');
  };
  await expect(resolveName('x.example', { reach: 'public', resolve: failing })).rejects.toThrow('ENOTFOUND');
  await expect(resolveName('x.example', { reach: 'public', resolve: async () => [] })).rejects.toThrow(
    'has no address',
  );
});
