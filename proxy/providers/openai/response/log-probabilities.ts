/**
 * Log probabilities in OpenAI's format. Some providers leave out `bytes`, `top_logprobs` or `refusal`, or use the
 * format of text completions for a chat.
 */
import { isObject } from '../../../../shared/members.ts';
import { asArray, type JsonRecord } from '../../../nouns/json/record.ts';

/** Null if there are none. */
export function chatLogProbabilities(value: unknown): JsonRecord | null {
  if (!isObject(value)) return null;
  if (Array.isArray(value.tokens)) return { content: fromColumns(value), refusal: null };
  const content = entriesOf(value.content);
  const refusal = entriesOf(value.refusal);
  return content === null && refusal === null ? null : { ...value, content, refusal };
}

/** The format of text completions: parallel arrays. */
export function textLogProbabilities(value: unknown): JsonRecord | null {
  if (!isObject(value) || !Array.isArray(value.tokens)) return null;
  const { tokens, token_logprobs: numbers, text_offset: offsets, top_logprobs: alternatives, ...rest } = value;
  return {
    ...rest,
    tokens: tokens.map(String),
    // The first token of an echoed prompt has no probability, but the schema does not allow null.
    ...(Array.isArray(numbers) && { token_logprobs: numbers.map((each) => (typeof each === 'number' ? each : 0)) }),
    ...(Array.isArray(offsets) && { text_offset: offsets.filter((each) => Number.isInteger(each)) }),
    ...(Array.isArray(alternatives) && { top_logprobs: alternatives.map((each) => (isObject(each) ? each : {})) }),
  };
}

function entriesOf(value: unknown): JsonRecord[] | null {
  if (!Array.isArray(value)) return null;
  return value.filter(isEntry).map((entry) => ({
    ...entry,
    bytes: bytesOf(entry),
    top_logprobs: asArray(entry.top_logprobs)
      .filter(isEntry)
      .map((top) => ({ ...top, bytes: bytesOf(top) })),
  }));
}

function isEntry(value: unknown): value is JsonRecord {
  return isObject(value) && typeof value.token === 'string' && typeof value.logprob === 'number';
}

function bytesOf({ bytes }: JsonRecord): unknown[] | null {
  return Array.isArray(bytes) && bytes.every((byte) => Number.isInteger(byte)) ? bytes : null;
}

function fromColumns(value: JsonRecord): JsonRecord[] {
  const numbers = asArray(value.token_logprobs);
  return asArray(value.tokens).flatMap((token, position) => {
    const logprob = numbers[position];
    return typeof token === 'string' && typeof logprob === 'number'
      ? [{ token, logprob, bytes: null, top_logprobs: [] }]
      : [];
  });
}
