/**
 * Fetches a price list that an operator names. Only https, and http from this machine; redirects are refused, because they could
 * lead to anything else. The list is small, so whatever is not is given up.
 */
import { isIP } from 'node:net';
import { readLimited } from '../../http/read-limited.ts';

/** Ten times the longest published one. */
export const listMaxBytes = 16 * 1024 * 1024;
const timeoutMs = 30_000;

export interface FetchOptions {
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  /** Ends the request with the program. */
  readonly signal?: AbortSignal;
}

/** Throws Error if it is not fetched in time, whole, with status 200. */
export async function fetchPublishedList(address: string, options: FetchOptions = {}): Promise<string> {
  const problem = refuseListAddress(address);
  if (problem !== undefined) throw new Error(`${address} ${problem}`);
  const limits = [AbortSignal.timeout(options.timeoutMs ?? timeoutMs), options.signal].filter(
    (each) => each !== undefined,
  );
  const response = await fetch(address, {
    signal: AbortSignal.any(limits),
    redirect: 'error',
    headers: { accept: 'application/json', 'accept-encoding': 'identity' },
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`the price list's server responded with status ${response.status}`);
  }
  const body = await readLimited(response, { maxBytes: options.maxBytes ?? listMaxBytes, whose: "the price list's" });
  return new TextDecoder().decode(body);
}

/** Why no price list is fetched from there, after its address; undefined if one may be. */
export function refuseListAddress(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null) return 'is not a URL';
  if (url.username !== '' || url.password !== '') return 'has a user name or a password';
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isThisMachine(url.hostname))) return undefined;
  return 'is neither an https address nor one of this machine';
}

function isThisMachine(hostname: string): boolean {
  if (hostname === 'localhost' || hostname === '[::1]') return true;
  return isIP(hostname) === 4 && hostname.startsWith('127.');
}
