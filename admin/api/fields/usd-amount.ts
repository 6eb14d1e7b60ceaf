/** Amounts of money in request bodies: a number, or a decimal string if a number would not be exact. */
import { formatUsd, type NanoUsd, parseUsd, walletLimitNano } from '../../../shared/money.ts';
import { checkedBy } from './checked-by.ts';

export type UsdAmount = number | string;

export const usdAmount = (description: string, example?: string) =>
  checkedBy<UsdAmount>(
    {
      oneOf: [{ type: 'number', minimum: 0, maximum: Number(formatUsd(walletLimitNano)) }, { type: 'string' }],
      description: `${description} In USD: a number, or a decimal string to be exact, with at most 9 decimals.`,
      expected: 'an amount in USD from 0 to 9,000,000 with at most 9 decimals, as a number or a string',
      example,
    },
    (value) => tryParse(value) !== undefined,
  );

/** For values that the schema has accepted. */
export function parseUsdAmount(amount: UsdAmount): NanoUsd {
  const parsed = tryParse(amount);
  if (parsed === undefined) throw new Error('an amount that was not checked');
  return parsed;
}

/** 1e-7 → 0.0000001, which `String` would write with an exponent. More than 9 decimals are kept, and refused later. */
export function decimalOf(value: number): string {
  const text = String(value);
  const exponent = /^(\d)(?:\.(\d+))?e-(\d+)$/.exec(text);
  if (exponent === null) return text;
  const [, whole = '', fraction = '', places = ''] = exponent;
  return `0.${'0'.repeat(Number(places) - 1)}${whole}${fraction}`;
}

/** A number means its shortest decimal, which is what the client wrote. */
function tryParse(value: unknown): NanoUsd | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  try {
    const amount = parseUsd(typeof value === 'number' ? decimalOf(value) : value);
    return amount <= walletLimitNano ? amount : undefined;
  } catch {
    return undefined;
  }
}
