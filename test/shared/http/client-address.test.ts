/** Which client address counts, whatever a caller claims. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { formatAddress } from '../../../shared/addresses/address.ts';
import { clientAddress, exactAddress } from '../../../shared/http/client-address.ts';

const sourceOf = (trustedProxyHops: number, forwardedFor?: string, socketAddress = '192.0.2.1') => ({
  socketAddress,
  forwardedFor,
  trustedProxyHops,
});
const address = (...given: Parameters<typeof sourceOf>) => clientAddress(sourceOf(...given));
const exact = (...given: Parameters<typeof sourceOf>) => {
  const found = exactAddress(sourceOf(...given));
  return found && formatAddress(found);
};

describe.each([
  ['for counting attempts', address],
  ['exactly', exact],
])('%s', (_purpose, read) => {
  test('without trusted proxies X-Forwarded-For is ignored', () => {
    expect(read(0, '203.0.113.9')).toBe('192.0.2.1');
  });

  test('with n trusted proxies the n-th address from the right counts', () => {
    expect(read(1, '1.1.1.1, 203.0.113.9')).toBe('203.0.113.9');
    expect(read(2, '1.1.1.1, 203.0.113.9, 10.0.0.1')).toBe('203.0.113.9');
  });

  test('whatever a client writes in front of what the trusted proxies write changes nothing', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 4 }), (forged, hops) => {
        const written = ['203.0.113.9', '10.0.0.1', '10.0.0.2', '10.0.0.3'].slice(0, hops).join(', ');
        expect(read(hops, `${forged}, ${written}`)).toBe('203.0.113.9');
      }),
    );
  });

  test('an IPv4-mapped IPv6 address is the IPv4 address', () => {
    expect(read(0, undefined, '::ffff:192.0.2.7')).toBe('192.0.2.7');
    expect(read(1, '::ffff:192.0.2.7')).toBe('192.0.2.7');
  });
});

test('for counting attempts, a missing or short header falls back to the address of the connection', () => {
  expect(address(1)).toBe('192.0.2.1');
  expect(address(2, '203.0.113.9')).toBe('192.0.2.1');
});

test.each([
  undefined,
  '',
  '203.0.113.9',
  ', 10.0.0.1',
  'unknown, 10.0.0.1',
  '203.0.113.9:80, 10.0.0.1',
  '203.0.113, ::1',
])('behind two trusted proxies, the exact address is not known from %p', (forwardedFor) => {
  expect(exact(2, forwardedFor)).toBeUndefined();
});

test('the exact address of a connection is whole, and has no zone', () => {
  expect(exact(0, undefined, '2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2:3:4:5:6');
  expect(exact(0, undefined, 'fe80::1%eth0')).toBe('fe80::1');
});

test.each([
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('IPv6 %s counts as %s', (socketAddress, expected) => {
  expect(address(0, undefined, socketAddress)).toBe(expected);
});
