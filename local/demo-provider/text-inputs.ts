/** Reads a field with one text, several texts, one list of token ids, or several such lists. */
import { RequestError } from './errors.ts';
import type { JsonObject } from './fields.ts';
import { contextTokens } from './models.ts';
import { countTokens, textOfTokens } from './tokens.ts';

export interface TextInput {
  text: string;
  /** Exact up to the largest context; a longer text is refused anyway. */
  tokens: number;
}

export function readTextInputs(body: JsonObject, name: string, itemsMax: number): TextInput[] {
  const value = body[name];
  const items: unknown[] = isTokenList(value) || !Array.isArray(value) ? [value] : value;
  if (items.length === 0 || items.length > itemsMax) {
    throw new RequestError(`'${name}' must have from 1 to ${itemsMax} items.`, { param: name });
  }
  return items.map((item) => {
    const text = isTokenList(item) ? textOfTokens(item) : item;
    const tokens = isTokenList(item) ? item.length : undefined;
    if (typeof text === 'string' && text !== '') return { text, tokens: tokens ?? countTokens(text, contextTokens) };
    throw new RequestError(
      `'${name}' must be a string, a list of token ids, or a list of either, none of them empty.`,
      {
        param: name,
      },
    );
  });
}

function isTokenList(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => Number.isSafeInteger(item) && item >= 0);
}
