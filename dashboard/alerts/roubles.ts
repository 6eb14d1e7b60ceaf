/** Thresholds and balances in roubles, compared exactly: as whole kopecks, never as floats. */

/** Of a decimal string with at most two decimals. */
export function kopecksOf(rub: string): bigint {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(rub) ?? [];
  const kopecks = BigInt(whole + fraction.padEnd(2, '0'));
  return sign === '-' ? -kopecks : kopecks;
}

export function rubOf(kopecks: bigint): string {
  const digits = String(kopecks < 0n ? -kopecks : kopecks).padStart(3, '0');
  return `${kopecks < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

const thresholdMaxKopecks = 1_000_000_000n;

/** A threshold as people type it, such as `1 500` or `99,50`; undefined if the API would refuse it. */
export function parseThreshold(text: string): string | undefined {
  const rub = text.replace(/[\s₽]/g, '').replace(',', '.');
  if (!/^\d{1,12}(?:\.\d{1,2})?$/.test(rub)) return undefined;
  return kopecksOf(rub) <= thresholdMaxKopecks ? rub : undefined;
}

/** Hours, fractions allowed; undefined if the text is none. */
export function parseHours(text: string): number | undefined {
  const hours = Number(text.trim().replace(',', '.') || Number.NaN);
  return Number.isFinite(hours) && hours >= 0 ? hours : undefined;
}
