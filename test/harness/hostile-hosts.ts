/** Hosts that no customer may reach through the gateway, in every spelling that some program understands, and public ones. */
import fc from 'fast-check';

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
export const partsOf = (number: number) => [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256);

export const privateAddress = fc
  .tuple(fc.constantFrom(...privateBlocks), fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }))
  .map(([[first, bits], within]) => numberOf(first) + Math.floor(within * 2 ** bits));
export const publicAddress = fc
  .constantFrom('1.1.1.1', '8.8.8.8', '93.184.215.14', '172.15.0.1', '192.167.9.9')
  .map(numberOf);

/** What inet_aton reads: each part decimal, octal or hexadecimal, and the last ones together. */
const partSpelling = fc.constantFrom(
  (part: number) => String(part),
  (part: number) => `0${part.toString(8)}`,
  (part: number) => `000${part.toString(8)}`,
  (part: number) => `0x${part.toString(16)}`,
  (part: number) => `0X${part.toString(16).toUpperCase().padStart(8, '0')}`,
);
const joins = fc.constantFrom(1, 2, 3, 4);
export const numericHost = (address: fc.Arbitrary<number>) =>
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
export const ipv6Host = privateAddress.chain((number) => {
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
export const privateHost = fc.oneof(
  fc.tuple(numericHost(privateAddress), disguise).map(([host, change]) => change(host)),
  ipv6Host.map((address) => `[${address}]`),
  privateName,
);
