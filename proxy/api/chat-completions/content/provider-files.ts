/**
 * Refuses files that a request names instead of containing them: by the id that a provider gave them, by a URL of a
 * provider's own storage, or by a URL of a private host. A provider looks them up in the gateway's account or in its own
 * network, so a customer could read files of the operator or of other customers. Public `https:` and `http:` URLs and
 * `data:` URLs are allowed.
 */
import { invalidParameter, unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import { isPublicUrl } from '../../../../shared/http/public-url.ts';
import { isObject } from '../../../../shared/members.ts';
import { hasOnly } from '../../../nouns/json/record.ts';
import type { ChatMessage } from '../../../nouns/requests/chat-request.ts';
import { messageMembers } from './known-members.ts';

/** Without case, `_` and `-`: servers differ in their spelling, and some ignore the case. */
const fileIdNames: ReadonlySet<string> = new Set(['fileid', 'fileids', 'fileuri']);
/** `gs://bucket/a` (Google), `s3://bucket/a` (AWS), `ms://id` (Moonshot), `oss://id` (DashScope), `file:/a` (vLLM). */
const storageUrl = /^\s*(?:(?!https?:)[a-z][a-z\d+.-]{0,30}:\/\/|file:)\S*$/i;
/** Gemini's files, which it also names by URL. */
const geminiUrl = /^\s*https?:\/\/[^/?#]*\bgenerativelanguage\.googleapis\.com/i;
/** DashScope's long-context models read files that a text names this way. */
const fileText = /^\s*fileid:\/\//i;

/** Fetchers skip white space and control characters at the start of a URL, and some of them everywhere. */
const skipped = /^[\s\p{C}]+/u;
const skippedAnywhere = /[\s\p{C}]+/gu;
/** Longer than any scheme. */
const startLength = 64;

/** Of `messages[index]`. Throws GatewayError `unsupported_parameter` or `invalid_parameter`. */
export function refuseProviderFiles(message: ChatMessage, index: number): void {
  const { content } = message;
  if (typeof content === 'string') {
    if (fileText.test(content)) throw providerFile(`messages[${index}].content`);
  } else if (Array.isArray(content)) {
    for (const [place, part] of content.entries()) refuseInPart(part, `messages[${index}].content[${place}]`);
  }
  if (hasOnly(message, messageMembers)) return;
  const at = `messages[${index}]`;
  for (const [name, value] of Object.entries(message)) {
    if (messageMembers.has(name)) continue;
    if (namesFile(nameWithoutCase(name), value)) throw providerFile(`${at}.${name}`);
    refuseMember(name, value, at);
  }
}

/** `param` is the URL's path in the body. Throws GatewayError `unsupported_parameter` or `invalid_parameter`. */
export function checkMediaUrl(url: string, param: string): void {
  refuseForeignUrl(url, param);
  if (!/^(?:data|https?):/i.test(url)) throw notPublic(param);
}

/** Of a text that may be a URL, and anything else. */
export function refuseForeignUrl(text: string, param: string): void {
  if (storageUrl.test(text) || geminiUrl.test(text)) throw providerFile(param);
  const start = text.replace(skipped, '').slice(0, startLength).replaceAll(skippedAnywhere, '');
  if (/^https?:/i.test(start) && !isPublicUrl(text)) throw notPublic(param);
}

/** The error for a file that `param` names at a provider. */
export function providerFile(param: string) {
  return unsupportedParameter(
    param,
    `'${param}' is not supported: files at a provider belong to the gateway's account there. Send the content of the file, or a public https: URL.`,
  );
}

function notPublic(param: string) {
  return invalidParameter(param, 'a data: URL, or an https: or http: URL of a public host in its usual spelling');
}

function refuseInPart(part: object, at: string): void {
  for (const [name, value] of Object.entries(part)) {
    if (name === 'text' && typeof value === 'string') {
      if (fileText.test(value)) throw providerFile(`${at}.${name}`);
    } else if (name !== 'type' && name !== 'refusal') refuseMember(name, value, at);
  }
}

/** The depth of a body is limited before it is parsed. */
function refuseIn(value: unknown, at: string): void {
  if (typeof value === 'string') refuseForeignUrl(value, at);
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) refuseIn(item, `${at}[${index}]`);
  else if (isObject(value)) for (const [name, member] of Object.entries(value)) refuseMember(name, member, at);
}

function refuseMember(name: string, value: unknown, at: string): void {
  const param = `${at}.${name}`;
  const plainName = nameWithoutCase(name);
  if (fileIdNames.has(plainName) && value !== null) throw providerFile(param);
  if (typeof value === 'string' && plainName.endsWith('url')) checkMediaUrl(value, param);
  else refuseIn(value, param);
}

function nameWithoutCase(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^a-z\d]/g, '');
}

/** GigaChat's `attachments` are ids of uploaded files; OpenAI's `audio` is the id of an earlier response. */
function namesFile(name: string, value: unknown): boolean {
  if (name === 'attachments') return hasText(value);
  return name === 'audio' && isObject(value) && value.id !== undefined;
}

function hasText(value: unknown): boolean {
  return typeof value === 'string' || (Array.isArray(value) && value.some((item) => typeof item === 'string'));
}
