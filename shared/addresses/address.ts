/** IP addresses as numbers: one word of 32 bits for IPv4, four for IPv6. An IPv4-mapped IPv6 address is the IPv4 address. */
import { isIPv4, isIPv6 } from 'node:net';

export type Address = readonly number[];

const groupsOfIpv6 = 8;

/** Undefined if it is not an address in its usual form: no port, no brackets, no zone. */
export function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) return [wordOfIpv4(text)];
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const [head = '', tail = ''] = text.split('::');
  const [first, last] = [groupsOf(head), groupsOf(tail)];
  const zeros = Array.from({ length: groupsOfIpv6 - first.length - last.length }, () => 0);
  const words = wordsOf([...first, ...zeros, ...last]);
  return ipv4Within(words) ?? words;
}

/** In its canonical form: IPv6 by RFC 5952. */
export function formatAddress(address: Address): string {
  if (isIpv4(address)) return octetsOf(address[0]).join('.');
  const groups = address.flatMap((word) => [word >>> 16, word & 0xffff]).map((group) => group.toString(16));
  const { start, length } = longestZeros(groups);
  if (length < 2) return groups.join(':');
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`;
}

export function isIpv4(address: Address): address is readonly [number] {
  return address.length === 1;
}

function ipv4Within([a, b, mark, last]: Address): Address | undefined {
  return a === 0 && b === 0 && mark === 0xffff && last !== undefined ? [last] : undefined;
}

function wordOfIpv4(text: string): number {
  return text.split('.').reduce((word, octet) => ((word << 8) | Number(octet)) >>> 0, 0);
}

const octetsOf = (word: number) => [word >>> 24, (word >>> 16) & 0xff, (word >>> 8) & 0xff, word & 0xff];

/** Of 16 bits each; an IPv4 address at the end is two of them. */
function groupsOf(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const word = wordOfIpv4(group);
    return [word >>> 16, word & 0xffff];
  });
}

function wordsOf(groups: readonly number[]): Address {
  return [0, 2, 4, 6].map((at) => (((groups[at] ?? 0) << 16) | (groups[at + 1] ?? 0)) >>> 0);
}

/** The first of the longest runs. */
function longestZeros(groups: readonly string[]): { start: number; length: number } {
  let longest = { start: 0, length: 0 };
  let length = 0;
  for (const [index, group] of groups.entries()) {
    length = group === '0' ? length + 1 : 0;
    if (length > longest.length) longest = { start: index + 1 - length, length };
  }
  return longest;
}
