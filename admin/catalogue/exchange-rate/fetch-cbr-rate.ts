/** Fetches the Bank of Russia's rate for a day. */
import { readLimited } from '../../http/read-limited.ts';
import type { ExchangeRate } from './exchange-rate.ts';
import { parseCbrRates } from './parse-cbr-rates.ts';

const timeoutMs = 10_000;
/** The document has about 10 KB. */
const bodyMaxBytes = 256 * 1024;

export interface RateQuery {
  readonly url: string;
  /** `2026-11-21`, a day in Moscow. Without a date the bank may return tomorrow's rate. */
  readonly day: string;
  readonly timeoutMs?: number;
}

/** The rate in effect on that day, set for the day itself or an earlier one. Throws if the bank does not return it. */
export async function fetchCbrRate(query: RateQuery): Promise<ExchangeRate> {
  const url = new URL(query.url);
  const [year, month, day] = query.day.split('-');
  url.searchParams.set('date_req', `${day}/${month}/${year}`);
  const response = await fetch(url, {
    signal: AbortSignal.timeout(query.timeoutMs ?? timeoutMs),
    redirect: 'error',
    headers: { accept: 'application/xml, text/xml', 'accept-encoding': 'identity' },
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`the Bank of Russia responded with status ${response.status}`);
  }
  const rate = parseCbrRates(await readLimited(response, { maxBytes: bodyMaxBytes, whose: "the Bank of Russia's" }));
  if (rate.date !== null && rate.date > query.day) {
    throw new Error(`the Bank of Russia returned the rate for ${rate.date} instead of ${query.day}`);
  }
  return rate;
}
