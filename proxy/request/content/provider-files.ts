/**
 * Refuses files that a request names instead of containing them: by the id that a provider gave them, or by a URL of a
 * provider's own storage. A provider looks them up in the gateway's account there, so a customer could read files of the
 * operator or of other customers. Public `https:` URLs and `data:` URLs are allowed.
 */

import { unsupportedParameter } from '../../../shared/http/parameter-errors.ts';
import { isObject } from '../../../shared/members.ts';
import type { ChatMessage } from '../chat-request.ts';
import { messageMembers } from '../known-members.ts';

/** Without case, `_` and `-`: servers differ in their spelling, and some ignore the case. */
const fileIdNames: ReadonlySet<string> = new Set(['fileid', 'fileids', 'fileuri']);
/** `gs://bucket/a` (Google), `s3://bucket/a` (AWS), `ms://id` (Moonshot), `oss://id` (DashScope), `file:///a` (vLLM). */
const storageUrl = /^\s*(?!https?:)[a-z][a-z\d+.-]{0,30}:\/\/\S*$/i;
/** Gemini's files, which it also names by URL. */
const geminiUrl = /^\s*https?:\/\/[^/?#]*\bgenerativelanguage\.googleapis\.com/i;
/** DashScope's long-context models read files that a text names this way. */
const fileText = /^\s*fileid:\/\//i;

/** `at` is the message's path in the body. Throws GatewayError `unsupported_parameter`. */
export function refuseProviderFiles(message: ChatMessage, at: string): void {
  const { content } = message;
  if (typeof content === 'string') refuseFileText(content, `${at}.content`);
  else for (const [index, part] of (content ?? []).entries()) refuseInPart(part, `${at}.content[${index}]`);
  for (const [name, value] of Object.entries(message)) {
    if (messageMembers.has(name)) continue;
    if (namesFile(nameWithoutCase(name), value)) throw providerFile(`${at}.${name}`);
    refuseMember(name, value, at);
  }
}

/** `param` is the URL's path in the body. Throws GatewayError `unsupported_parameter`. */
export function refuseProviderUrl(url: string, param: string): void {
  if (storageUrl.test(url) || geminiUrl.test(url)) throw providerFile(param);
}

/** The error for a file that `param` names at a provider. */
export function providerFile(param: string) {
  return unsupportedParameter(
    param,
    `'${param}' is not supported: files at a provider belong to the gateway's account there. Send the content of the file, or a public https: URL.`,
  );
}

function refuseInPart(part: object, at: string): void {
  for (const [name, value] of Object.entries(part)) {
    if (name === 'text' && typeof value === 'string') refuseFileText(value, `${at}.${name}`);
    else if (name !== 'type' && name !== 'refusal') refuseMember(name, value, at);
  }
}

/** The depth of a body is limited before it is parsed. */
function refuseIn(value: unknown, at: string): void {
  if (typeof value === 'string') refuseProviderUrl(value, at);
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) refuseIn(item, `${at}[${index}]`);
  else if (isObject(value)) for (const [name, member] of Object.entries(value)) refuseMember(name, member, at);
}

function refuseMember(name: string, value: unknown, at: string): void {
  const param = `${at}.${name}`;
  if (fileIdNames.has(nameWithoutCase(name)) && value !== null) throw providerFile(param);
  refuseIn(value, param);
}

function refuseFileText(text: string, param: string): void {
  if (fileText.test(text)) throw providerFile(param);
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
