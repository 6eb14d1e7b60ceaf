/** Reads a list of IP addresses and networks from which keys may be used, and writes it in its canonical form. */
import { formatNetwork, parseNetwork, withoutHostBits } from '../../shared/addresses/network.ts';
import { GatewayError } from '../../shared/errors.ts';
import { invalidParameter } from '../../shared/http/parameter-errors.ts';

export const allowedIpsMax = 100;

/**
 * Without repetitions; null for an empty list, which is no restriction. An address within a network, as in `10.1.2.3/8`, is
 * refused: it may be meant as either. Throws GatewayError `invalid_parameter` about the first entry at fault.
 */
export function parseAllowedIps(entries: readonly string[], param: string): string[] | null {
  const canonical = new Set(entries.map((entry, index) => parseEntry(entry.trim(), `${param}[${index}]`)));
  return canonical.size === 0 ? null : [...canonical];
}

function parseEntry(entry: string, param: string): string {
  const network = parseNetwork(entry);
  if (network === undefined) throw notAnAddress(param);
  const meant = formatNetwork(withoutHostBits(network));
  if (meant !== formatNetwork(network)) throw notANetwork(param, { meant, address: entry.split('/')[0] ?? entry });
  return meant;
}

export const notAnAddress = (param: string) =>
  invalidParameter(param, 'an IP address such as 203.0.113.7, or a network such as 203.0.113.0/24 or 2001:db8::/32');

const notANetwork = (param: string, { meant, address }: { meant: string; address: string }) =>
  new GatewayError(
    'invalid_parameter',
    `Invalid value for '${param}': this is an address within the network ${meant}. Send ${meant}, or ${address} for the address alone.`,
    { param },
  );
