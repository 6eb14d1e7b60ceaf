/** Translates the parts of a message's content to those of chat completions. */
import { checkValue } from '../../../../shared/http/check-value.ts';
import { invalidParameter } from '../../../../shared/http/parameter-errors.ts';
import type { ChatContentPart } from '../../../nouns/requests/chat-request.ts';
import { typed } from '../../../nouns/requests/responses-request.ts';
import { checkMediaUrl, providerFile, refuseForeignUrl } from '../../chat-completions/content/provider-files.ts';
import { filePart, imagePart, refusalPart, textPart } from './item-schemas.ts';

type Content = string | readonly unknown[];

/**
 * The content of a user, system or tool message. A single text becomes a string, which every provider accepts. Throws
 * GatewayError that names the part; `at` is the content's path in the body.
 */
export function readContent(content: Content, at: string): string | ChatContentPart[] {
  if (typeof content === 'string') return content;
  const parts = content.map((part, index) => readPart(part, `${at}[${index}]`));
  const [first] = parts;
  if (first === undefined) return '';
  return parts.length === 1 && first.type === 'text' ? (first.text ?? '') : parts;
}

/** The content of an assistant message, whose texts and refusals are joined: a chat message has one of each. */
export function readAssistantContent(content: Content, at: string): { text: string; refusal: string } {
  if (typeof content === 'string') return { text: content, refusal: '' };
  const joined = { text: '', refusal: '' };
  for (const [index, part] of content.entries()) {
    const partAt = `${at}[${index}]`;
    const { type } = checkValue(typed, part, partAt);
    if (type === 'refusal') joined.refusal += checkValue(refusalPart, part, partAt).refusal;
    else if (type === 'output_text' || type === 'input_text') joined.text += checkValue(textPart, part, partAt).text;
    else throw invalidParameter(`${partAt}.type`, 'one of output_text, refusal');
  }
  return joined;
}

function readPart(part: unknown, at: string): ChatContentPart {
  switch (checkValue(typed, part, at).type) {
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: checkValue(textPart, part, at).text };
    case 'refusal':
      return { type: 'text', text: checkValue(refusalPart, part, at).refusal };
    case 'input_image':
      return readImage(part, at);
    case 'input_file':
      return readFile(part, at);
  }
  throw invalidParameter(`${at}.type`, 'one of input_text, input_image, input_file, output_text, refusal');
}

function readImage(part: unknown, at: string): ChatContentPart {
  const { image_url: url, file_id: fileId, detail } = checkValue(imagePart, part, at);
  if (typeof fileId === 'string') throw providerFile(`${at}.file_id`);
  if (typeof url !== 'string') throw invalidParameter(`${at}.image_url`, 'a URL or a data URL');
  checkMediaUrl(url, `${at}.image_url`);
  // Chat completions have no `original`.
  return { type: 'image_url', image_url: { url, ...(detail && { detail: detail === 'original' ? 'high' : detail }) } };
}

function readFile(part: unknown, at: string): ChatContentPart {
  const { file_data: data, file_url: url, file_id: fileId, filename } = checkValue(filePart, part, at);
  if (typeof fileId === 'string') throw providerFile(`${at}.file_id`);
  const fileData = data ?? url;
  if (typeof fileData !== 'string') throw invalidParameter(`${at}.file_data`, 'a data URL');
  if (fileData === data) refuseForeignUrl(fileData, `${at}.file_data`);
  else checkMediaUrl(fileData, `${at}.file_url`);
  return { type: 'file', file: { file_data: fileData, ...(filename && { filename }) } };
}
