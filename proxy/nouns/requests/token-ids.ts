/** Text that the client has already tokenized, as token ids of the model's tokenizer. */
import { Type } from '@sinclair/typebox';

export const tokenIds = Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1 });

type Texts = string | readonly string[] | readonly number[] | readonly (readonly number[])[];

export interface TextsAndTokens {
  readonly texts: readonly string[];
  readonly tokenIds: number;
  /** The number of texts, tokenized or not. */
  readonly count: number;
}

/** A prompt or input in any of its forms. */
export function readTexts(value: Texts): TextsAndTokens {
  if (typeof value === 'string') return { texts: [value], tokenIds: 0, count: 1 };
  const texts: string[] = [];
  let tokens = 0;
  let isTokens = false;
  for (const item of value) {
    if (typeof item === 'string') texts.push(item);
    else if (typeof item === 'number') {
      tokens += 1;
      isTokens = true;
    } else tokens += item.length;
  }
  return { texts, tokenIds: tokens, count: isTokens ? 1 : value.length };
}
