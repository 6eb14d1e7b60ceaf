/** Exact decimals as integers: parsing, formatting, and division with a named rounding. */

/** The character. */
const zero = 0x30;

export function divideRoundingUp(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  return numerator % denominator > 0n ? quotient + 1n : quotient;
}

export function divideRoundingDown(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  return numerator % denominator < 0n ? quotient - 1n : quotient;
}

export function parseDecimal(text: string, decimals: number): bigint {
  const match = /^(\d{1,15})(?:\.(\d+))?$/.exec(text);
  const fraction = match?.[2] ?? '';
  if (match === null || fraction.length > decimals) {
    throw new RangeError(`"${text}" is not a decimal number with at most ${decimals} decimals`);
  }
  return BigInt(`${match[1]}${fraction.padEnd(decimals, '0')}`);
}

export function formatDecimal(value: bigint, decimals: number): string {
  const sign = value < 0n ? '-' : '';
  const digits = value
    .toString()
    .slice(sign.length)
    .padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  let end = digits.length;
  while (end > point && digits.charCodeAt(end - 1) === zero) end -= 1;
  const whole = sign + digits.slice(0, point);
  return end === point ? whole : `${whole}.${digits.slice(point, end)}`;
}

/** `digits` × 10^`exponent`. */
export interface WrittenNumber {
  readonly digits: bigint;
  readonly exponent: number;
}

/** More would only be written to cost time. */
const writtenDigitsMax = 40;
const writtenExponentMax = 40;

/** A number of at least 0 as JSON and people write it, such as `1.5e-07`, exactly. Undefined for anything else. */
export function readWrittenNumber(text: string): WrittenNumber | undefined {
  const match = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/.exec(text);
  if (match === null) return undefined;
  const [, whole = '', fraction = '', power = '0'] = match;
  const exponent = Number(power) - fraction.length;
  if (whole.length + fraction.length > writtenDigitsMax || Math.abs(exponent) > writtenExponentMax) return undefined;
  return { digits: BigInt(whole + fraction), exponent };
}

/** How many units of 10^-`decimals` it is, rounded up. */
export function unitsRoundedUp({ digits, exponent }: WrittenNumber, decimals: number): bigint {
  const shift = exponent + decimals;
  return shift >= 0 ? digits * 10n ** BigInt(shift) : divideRoundingUp(digits, 10n ** BigInt(-shift));
}

/** Undefined for a number with a fraction. */
export function wholeNumberOf({ digits, exponent }: WrittenNumber): bigint | undefined {
  if (exponent >= 0) return digits * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  return digits % divisor === 0n ? digits / divisor : undefined;
}
