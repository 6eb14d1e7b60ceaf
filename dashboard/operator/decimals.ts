/** Sums and changes of the API's decimal strings, exact: they never pass through a float. */

const digits = 12;
const unit = 10n ** BigInt(digits);

function parse(decimal: string): bigint {
  const [, sign, whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,12}))?$/.exec(decimal) ?? [];
  if (sign === undefined) throw new RangeError(`not a decimal: ${decimal}`);
  const value = BigInt(whole) * unit + BigInt(fraction.padEnd(digits, '0'));
  return sign === '-' ? -value : value;
}

function format(value: bigint): string {
  const size = value < 0n ? -value : value;
  const fraction = String(size % unit)
    .padStart(digits, '0')
    .replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${size / unit}${fraction === '' ? '' : `.${fraction}`}`;
}

export const addDecimals = (one: string, other: string): string => format(parse(one) + parse(other));

/** By how many percent `after` is above `before`, to a tenth; undefined if `before` is 0. */
export function percentChange(before: string, after: string): string | undefined {
  const from = parse(before);
  if (from === 0n) return undefined;
  const tenths = ((parse(after) - from) * 1_000n) / (from < 0n ? -from : from);
  return format((tenths * unit) / 10n);
}
