/** `text.format`: the format that the output must have. */
import { checkValue } from '../../../../shared/http/check-value.ts';
import { invalidParameter } from '../../../../shared/http/parameter-errors.ts';
import type { ChatRequest } from '../../../nouns/requests/chat-request.ts';
import {
  type JsonSchemaFormat,
  jsonSchemaFormat,
  type TextSettings,
  typed,
} from '../../../nouns/requests/responses-request.ts';

export type TextFormat = { readonly type: 'text' } | { readonly type: 'json_object' } | JsonSchemaFormat;

/** Throws GatewayError. */
export function readFormat(text: TextSettings): TextFormat {
  const format = text.format ?? { type: 'text' };
  const { type } = checkValue(typed, format, 'text.format');
  if (type === 'text' || type === 'json_object') return { type };
  if (type === 'json_schema') return checkValue(jsonSchemaFormat, format, 'text.format');
  throw invalidParameter('text.format.type', 'one of text, json_object, json_schema');
}

export function chatFormat(format: TextFormat): Pick<ChatRequest, 'response_format'> {
  if (format.type === 'text') return {};
  if (format.type === 'json_object') return { response_format: { type: 'json_object' } };
  const { type, ...schema } = format;
  return { response_format: { type, json_schema: schema } };
}
