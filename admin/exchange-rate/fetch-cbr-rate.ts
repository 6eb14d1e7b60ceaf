/** Asks the Bank of Russia for the rate of a day. */
import type { ExchangeRate } from './exchange-rate.ts';
import { parseCbrRates } from './parse-cbr-rates.ts';

const timeoutMs = 10_000;
/** The document has about 10 KB. */
const bodyMaxBytes = 256 * 1024;

export interface RateQuestion {
  readonly url: string;
  /** `2026-11-21`, a day in Moscow. Without a date the bank may answer with tomorrow's rate. */
  readonly day: string;
  readonly timeoutMs?: number;
}

/** The rate in force on the day: of the day itself or of one before it. Throws where there is no such answer. */
export async function fetchCbrRate(question: RateQuestion): Promise<ExchangeRate> {
  const url = new URL(question.url);
  const [year, month, day] = question.day.split('-');
  url.searchParams.set('date_req', `${day}/${month}/${year}`);
  const response = await fetch(url, {
    signal: AbortSignal.timeout(question.timeoutMs ?? timeoutMs),
    redirect: 'error',
    headers: { accept: 'application/xml, text/xml', 'accept-encoding': 'identity' },
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`the Bank of Russia answers with status ${response.status}`);
  }
  const rate = parseCbrRates(await readLimited(response));
  if (rate.date !== null && rate.date > question.day) {
    throw new Error(`the Bank of Russia answers for ${rate.date} instead of ${question.day}`);
  }
  return rate;
}

async function readLimited(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the body, so that the rest is not read.
    if (bytes > bodyMaxBytes) throw new Error(`the Bank of Russia's answer is larger than ${bodyMaxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
