/** Networks in CIDR notation, and which addresses are in them. A single address is a network of one. */
import { type Address, formatAddress, isIpv4, parseAddress } from './address.ts';

export interface Network {
  readonly address: Address;
  /** How many bits all of its addresses have in common. */
  readonly bits: number;
}

const form = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/;
const wordBits = 32;
/** Before the IPv4 address within an IPv6 one. */
const mappedBits = 96;

/** `203.0.113.0/24`, `2001:db8::/32`, or an address. Undefined if it is neither. The address may have further bits set. */
export function parseNetwork(text: string): Network | undefined {
  const [, addressText = '', bitsText] = form.exec(text) ?? [];
  const address = parseAddress(addressText);
  if (address === undefined) return undefined;
  const bitsMax = bitsOf(address);
  if (bitsText === undefined) return { address, bits: bitsMax };
  const bits = Number(bitsText) - (isIpv4(address) && addressText.includes(':') ? mappedBits : 0);
  return bits >= 0 && bits <= bitsMax ? { address, bits } : undefined;
}

/** Canonical; a network of one address is written as the address. */
export function formatNetwork({ address, bits }: Network): string {
  return bits === bitsOf(address) ? formatAddress(address) : `${formatAddress(address)}/${bits}`;
}

/** Without bits of the address beyond those that the network has in common. */
export function withoutHostBits({ address, bits }: Network): Network {
  return { address: address.map((word, index) => (word & maskOf(bits, index)) >>> 0), bits };
}

export function isWithin(address: Address, network: Network): boolean {
  if (address.length !== network.address.length) return false;
  // Called for each entry of a list and each request of a key with one, so without a closure.
  for (let index = 0; index < address.length; index += 1) {
    const differing = (address[index] ?? 0) ^ (network.address[index] ?? 0);
    if ((differing & maskOf(network.bits, index)) !== 0) return false;
  }
  return true;
}

const bitsOf = (address: Address) => address.length * wordBits;

/** Of the word at this place. */
function maskOf(bits: number, index: number): number {
  const ofWord = bits - index * wordBits;
  if (ofWord <= 0) return 0;
  return ofWord >= wordBits ? -1 : -1 << (wordBits - ofWord);
}
