/** Exact arithmetic on decimal strings, for sums that the API does not return. No amount passes through a float. */

/** More decimals than any amount, price or rate has. */
const scale = 18;

/** An amount in units of 10⁻¹⁸, which orders and adds up exactly. Throws RangeError on anything but a plain decimal. */
export function unitsOf(decimal: string): bigint {
  const {
    sign,
    whole,
    fraction = '',
  } = /^(?<sign>-?)(?<whole>\d+)(?:\.(?<fraction>\d+))?$/.exec(decimal)?.groups ?? {};
  if (whole === undefined || fraction.length > scale) throw new RangeError(`not an amount: ${decimal}`);
  const units = BigInt(whole + fraction.padEnd(scale, '0'));
  return sign === '-' ? -units : units;
}

/** `1500` → `15`. */
export function withoutEndingZeros(digits: string): string {
  const { length } = /^(?:0*[1-9])*/.exec(digits)?.[0] ?? '';
  return digits.slice(0, length);
}

/** Back to the shortest decimal: `1500000000000000000n` → `1.5`. */
export function decimalOf(units: bigint, decimals = scale): string {
  const sign = units < 0n ? '-' : '';
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
  const fraction = withoutEndingZeros(digits.slice(digits.length - decimals));
  return sign + digits.slice(0, digits.length - decimals) + (fraction === '' ? '' : `.${fraction}`);
}

export const sumDecimals = (decimals: readonly string[]): string =>
  decimalOf(decimals.reduce((sum, decimal) => sum + unitsOf(decimal), 0n));

export const productOf = (one: string, other: string): string => decimalOf(unitsOf(one) * unitsOf(other), 2 * scale);

/** For `sort`: the smaller first. */
export function compareDecimals(one: string, other: string): number {
  const difference = unitsOf(one) - unitsOf(other);
  return difference < 0n ? -1 : Number(difference > 0n);
}
