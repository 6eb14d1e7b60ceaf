/** Addresses and networks, compared with `BlockList` of Node.js, which matches them in another way. */
import { describe, expect, test } from 'bun:test';
import { BlockList, isIPv4 } from 'node:net';
import fc from 'fast-check';
import { formatAddress, parseAddress } from '../../../shared/addresses/address.ts';
import { formatNetwork, isWithin, parseNetwork, withoutHostBits } from '../../../shared/addresses/network.ts';

const octet = fc.integer({ min: 0, max: 255 });
const ipv4 = fc.tuple(octet, octet, octet, octet).map((octets) => octets.join('.'));
/** Zeros often, so that runs of them are abbreviated. */
const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff })).map((number) => number.toString(16));
const longIpv6 = fc.array(group, { minLength: 8, maxLength: 8 }).map((groups) => groups.join(':'));
const ipv6 = fc.oneof(
  longIpv6,
  fc.ipV6(),
  ipv4.map((address) => `::ffff:${address}`),
);

const familyOf = (address: string) => (isIPv4(address) ? 'ipv4' : 'ipv6');
const bitsMaxOf = (address: string) => (isIPv4(address) ? 32 : 128);

/** Flips one bit, so that the address is often next to the network and not always in it. */
function nearTo(address: string, bit: number): string {
  const words = [...(parseAddress(address) ?? [])];
  const at = Math.floor(bit / 32) % words.length;
  words[at] = ((words[at] ?? 0) ^ (1 << (bit % 32))) >>> 0;
  return formatAddress(words);
}

const within = (address: string, network: string) => {
  const [parsed, parsedNetwork] = [parseAddress(address), parseNetwork(network)];
  if (parsed === undefined || parsedNetwork === undefined) throw new Error(`${address} or ${network} is not read`);
  return isWithin(parsed, parsedNetwork);
};

const isMapped = (address: string) => !isIPv4(address) && parseAddress(address)?.length === 1;

describe('an address is in a network exactly if BlockList says so', () => {
  test.each([
    ['IPv4', ipv4],
    ['IPv6', ipv6.filter((address) => !isMapped(address))],
  ] as const)('%s', (_family, addresses) => {
    fc.assert(
      fc.property(addresses, fc.nat(128), fc.nat(127), addresses, (base, anyBits, flipped, other) => {
        const bits = anyBits % (bitsMaxOf(base) + 1);
        const oracle = new BlockList();
        oracle.addSubnet(base, bits, familyOf(base));
        for (const address of [base, nearTo(base, flipped), other]) {
          expect(within(address, `${base}/${bits}`)).toBe(oracle.check(address, familyOf(address)));
        }
      }),
      { numRuns: 3_000 },
    );
  });

  test('an IPv4-mapped IPv6 address is the IPv4 address, in networks too', () => {
    fc.assert(
      fc.property(ipv4, fc.nat(32), fc.nat(31), (base, bits, flipped) => {
        const oracle = new BlockList();
        oracle.addSubnet(base, bits, 'ipv4');
        for (const address of [base, nearTo(base, flipped)]) {
          const isThere = oracle.check(address, 'ipv4');
          expect(within(`::ffff:${address}`, `${base}/${bits}`)).toBe(isThere);
          expect(within(address, `::ffff:${base}/${bits + 96}`)).toBe(isThere);
        }
      }),
    );
  });

  test('no address of one family is in a network of the other', () => {
    expect(within('0.0.0.0', '::/0')).toBe(false);
    expect(within('::1', '0.0.0.0/0')).toBe(false);
  });
});

test('the canonical form of IPv6 is that of URLs, which follow RFC 5952', () => {
  fc.assert(
    fc.property(longIpv6, (address) => {
      const parsed = parseAddress(address);
      fc.pre(parsed?.length === 4);
      expect(`[${formatAddress(parsed ?? [])}]`).toBe(new URL(`http://[${address}]/`).hostname);
    }),
    { numRuns: 2_000 },
  );
});

test('what is written is read as the same, and without host bits it contains the address', () => {
  fc.assert(
    fc.property(fc.oneof(ipv4, ipv6), fc.nat(128), (address, anyBits) => {
      const parsed = parseAddress(address) ?? [];
      const network = withoutHostBits({ address: parsed, bits: anyBits % (parsed.length * 32 + 1) });
      expect(parseNetwork(formatNetwork(network))).toEqual(network);
      expect(withoutHostBits(network)).toEqual(network);
      expect(isWithin(parsed, network)).toBe(true);
    }),
  );
});

test.each([
  '',
  'localhost',
  '1.2.3',
  '1.2.3.4.5',
  '256.1.1.1',
  '01.2.3.4',
  '1.2.3.4/33',
  '1.2.3.4/',
  '1.2.3.4/-1',
  '1.2.3.4/08',
  '1.2.3.4/1e1',
  '1.2.3.4/8/8',
  ' 1.2.3.4',
  '1.2.3.4:80',
  '[::1]',
  '::1/129',
  'fe80::1%eth0',
  '1::2::3',
  ':::',
  '::ffff:1.2.3.4/95',
  '12345::',
])('%p is neither an address nor a network', (text) => {
  expect(parseNetwork(text)).toBeUndefined();
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7/32', '203.0.113.7'],
  ['203.0.113.0/24', '203.0.113.0/24'],
  ['2001:DB8:0:0::/32', '2001:db8::/32'],
  ['2001:db8::1/128', '2001:db8::1'],
  ['::FFFF:203.0.113.7', '203.0.113.7'],
  ['::ffff:cb00:7100/120', '203.0.113.0/24'],
  ['::/0', '::/0'],
])('%s is written as %s', (text, canonical) => {
  const network = parseNetwork(text);
  expect(network && formatNetwork(network)).toBe(canonical);
});
