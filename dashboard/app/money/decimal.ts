/** Sums and comparisons of decimal strings, exactly: amounts and counts never pass through a float. */

/** Amounts have up to 12 digits behind the point: prices per token are exact to a pico-dollar. */
const fractionDigits = 12;

export function sumDecimals(decimals: Iterable<string>): string {
  let sum = 0n;
  for (const decimal of decimals) sum += unitsOf(decimal);
  return decimalOf(sum);
}

/** Below, at or above zero, as `sort` needs it. */
export function compareDecimals(one: string, other: string): number {
  const difference = unitsOf(one) - unitsOf(other);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function unitsOf(decimal: string): bigint {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,12}))?$/.exec(decimal) ?? [];
  if (whole === '') throw new RangeError(`not a decimal: ${decimal}`);
  const units = BigInt(whole + fraction.padEnd(fractionDigits, '0'));
  return sign === '-' ? -units : units;
}

function decimalOf(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(fractionDigits + 1, '0');
  const fraction = digits.slice(-fractionDigits).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -fractionDigits)}${fraction === '' ? '' : `.${fraction}`}`;
}
