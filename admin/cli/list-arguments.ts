/** How much of a list is shown, and from where. */
import { UsageError } from './command.ts';

const limitMax = 1_000;
const limitDefault = 50;

export const limitArgument = {
  limit: { type: 'string', description: `How many at most, ${limitDefault} by default` },
} as const;

/** Throws UsageError. */
export function readLimit(text: string | undefined): number {
  const limit = text === undefined ? limitDefault : Number(text);
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= limitMax) return limit;
  throw new UsageError(`--limit must be a whole number from 1 to ${limitMax}.`);
}

/** Throws UsageError. */
export function readOffset(text: string | undefined): number {
  const offset = text === undefined ? 0 : Number(text);
  if (Number.isSafeInteger(offset) && offset >= 0) return offset;
  throw new UsageError('--offset must be a whole number of at least 0.');
}
