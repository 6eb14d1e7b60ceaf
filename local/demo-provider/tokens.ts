/**
 * Counts and cuts text in the tokens of o200k_base, the encoding of current OpenAI models.
 *
 * Invariant: the time is linear in the text's length. The tokenizer is quadratic in runs without a break
 * (100,000 times `a` took it 9 seconds), so long runs are cut into segments first; ordinary text has none and is
 * counted exactly.
 */
import { decode, encode } from 'gpt-tokenizer/encoding/o200k_base';

/** One token, or the few that together make one character. */
export interface TextSegment {
  text: string;
  tokens: number;
}

/** Text that looks like a control token is treated as text. */
const asPlainText = { disallowedSpecial: new Set<string>() };
const longRun = /\S{256}|\s{256}/gu;
const replacementCharacter = '\uFFFD';
/** A character has at most 4 bytes; joined emoji are several characters. */
const tokensInCharacterMax = 4;

/** Stops counting soon after `limit`: the exact count of a text that is too long does not matter. */
export function countTokens(text: string, limit = Number.POSITIVE_INFINITY): number {
  let count = 0;
  for (const part of withoutLongRuns(text)) {
    if (count > limit) break;
    count += encode(part, asPlainText).length;
  }
  return count;
}

/** The text, token by token as a model generates it. */
export function toSegments(text: string): TextSegment[] {
  const segments: TextSegment[] = [];
  let pending: number[] = [];
  for (const token of withoutLongRuns(text).flatMap((part) => encode(part, asPlainText))) {
    pending.push(token);
    const written = decode(pending);
    if (written.includes(replacementCharacter) && pending.length < tokensInCharacterMax) continue;
    segments.push({ text: written, tokens: pending.length });
    pending = [];
  }
  if (pending.length > 0) segments.push({ text: decode(pending), tokens: pending.length });
  return segments;
}

/** The text of token ids; undefined if one of them is not a token. */
export function textOfTokens(tokens: readonly number[]): string | undefined {
  try {
    return decode(tokens);
  } catch {
    return undefined;
  }
}

function withoutLongRuns(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (const run of text.matchAll(longRun)) {
    const end = run.index + run[0].length;
    parts.push(text.slice(start, end));
    start = end;
  }
  parts.push(text.slice(start));
  return parts;
}
