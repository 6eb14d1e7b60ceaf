/** Which client address counts, whatever a caller claims. */
import { expect, test } from 'bun:test';
import { clientAddress } from '../../../../admin/http/request/client-address.ts';

const address = (trustedProxyHops: number, forwardedFor?: string, socketAddress?: string) =>
  clientAddress({ socketAddress: socketAddress ?? '192.0.2.1', forwardedFor, trustedProxyHops });

test('without trusted proxies X-Forwarded-For is ignored', () => {
  expect(address(0, '203.0.113.9')).toBe('192.0.2.1');
});

test('with n trusted proxies the n-th address from the right counts', () => {
  expect(address(1, '1.1.1.1, 203.0.113.9')).toBe('203.0.113.9');
  expect(address(2, '1.1.1.1, 203.0.113.9, 10.0.0.1')).toBe('203.0.113.9');
});

test('a missing or short header falls back to the address of the connection', () => {
  expect(address(1)).toBe('192.0.2.1');
  expect(address(2, '203.0.113.9')).toBe('192.0.2.1');
});

test.each([
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
])('IPv6 %s counts as %s', (socketAddress, expected) => {
  expect(address(0, undefined, socketAddress)).toBe(expected);
});
