/**
 * Fetches a price list that an operator names. Only https, and http from this machine; redirects are refused, because they could
 * lead to anything else. The list is small, so whatever is not is given up.
 */
import { refuseSource } from '../../../shared/http/source-url.ts';
import { readLimited } from '../../http/read-limited.ts';

/** Four times the longest published one, which takes a fifth of a second to read. */
export const listMaxBytes = 8 * 1024 * 1024;
const timeoutMs = 30_000;

export interface FetchOptions {
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  /** Ends the request with the program. */
  readonly signal?: AbortSignal;
}

/** Throws Error if it is not fetched in time, whole, with status 200. */
export async function fetchPublishedList(address: string, options: FetchOptions = {}): Promise<string> {
  const problem = refuseSource(address);
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
