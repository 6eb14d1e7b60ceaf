/**
 * Normalizes a message or delta: `content` is a string or null, and reasoning is `reasoning_content`. Mistral returns
 * content parts of `text` and `thinking`, OpenRouter and Groq `reasoning`. What dialects read has its form, or is left out.
 */
import { isObject, withoutUndefined } from '../../../../shared/members.ts';
import { asArray, asRecord, asText, type JsonRecord } from '../../../nouns/json/record.ts';

export function plainMessage(message: JsonRecord): JsonRecord {
  const { content, thought } = readContent(message.content);
  const reasoning = [thought, textOf(message.reasoning_content) ?? textOf(message.reasoning)].filter(
    (text) => text !== undefined,
  );
  return {
    ...message,
    content,
    refusal: textOrNull(message.refusal),
    reasoning_content: reasoning.length > 0 ? reasoning.join('') : textOrNull(message.reasoning_content),
    reasoning: isObject(message.reasoning) ? message.reasoning : undefined,
    function_call: functionCall(message.function_call),
    annotations: Array.isArray(message.annotations) ? message.annotations.filter(isCitation) : undefined,
    thinking_blocks: thinkingBlocks(message.thinking_blocks),
    ...membersOfOtherProtocols,
  };
}

/** Dialects read them of providers that search in Anthropic's way, and of no others. */
const membersOfOtherProtocols = { search_blocks: undefined, turn_blocks: undefined, text_ends: undefined };

/** The generated texts, for an estimate. */
export function generatedTexts(message: JsonRecord): string[] {
  const texts: string[] = [];
  addText(texts, message.content);
  addText(texts, message.reasoning_content);
  addText(texts, message.refusal);
  if (isObject(message.audio)) addText(texts, message.audio.transcript);
  if (isObject(message.function_call)) addCall(texts, message.function_call);
  if (!Array.isArray(message.tool_calls)) return texts;
  for (const call of message.tool_calls.map(asRecord)) {
    addCall(texts, asRecord(call.function));
    addCall(texts, asRecord(call.custom));
  }
  return texts;
}

/** In base64. */
export function generatedAudio({ audio }: JsonRecord): string | undefined {
  return asText(asRecord(audio).data);
}

function addCall(texts: string[], { name, arguments: json, input }: JsonRecord): void {
  addText(texts, name);
  addText(texts, json ?? input);
}

function addText(texts: string[], value: unknown): void {
  if (typeof value === 'string' && value !== '') texts.push(value);
}

/** The arguments of a call as text; some providers return an object. */
export function argumentsText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : undefined;
}

function readContent(value: unknown): { content: unknown; thought: string | undefined } {
  if (!Array.isArray(value)) {
    return { content: typeof value === 'number' ? String(value) : textOrNull(value), thought: undefined };
  }
  const parts = value.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : asRecord(part)));
  const thoughts = parts.filter(({ type }) => type === 'thinking').map(({ thinking }) => joinTexts(thinking));
  const texts = parts.filter(({ type }) => type !== 'thinking').map(({ text }) => textOf(text) ?? '');
  // A delta with only thinking has no content.
  const content = texts.length === 0 && thoughts.length > 0 ? undefined : texts.join('');
  return { content, thought: thoughts.length > 0 ? thoughts.join('') : undefined };
}

function joinTexts(value: unknown): string {
  if (typeof value === 'string') return value;
  return asArray(value)
    .map((part) => textOf(asRecord(part).text) ?? '')
    .join('');
}

function functionCall(value: unknown): JsonRecord | undefined {
  if (!isObject(value)) return undefined;
  return { ...value, name: textOf(value.name), arguments: argumentsText(value.arguments) };
}

/** OpenRouter has others, such as the texts of files. */
function isCitation(value: unknown): boolean {
  if (!isObject(value) || value.type !== 'url_citation') return false;
  const { start_index: start, end_index: end, url, title } = asRecord(value.url_citation);
  return Number.isInteger(start) && Number.isInteger(end) && typeof url === 'string' && typeof title === 'string';
}

function thinkingBlocks(value: unknown): JsonRecord[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value
    .filter(isObject)
    .filter(({ type }) => type === 'thinking' || type === 'redacted_thinking')
    .map(({ thinking, signature, data, ...block }) =>
      withoutUndefined({ ...block, thinking: textOf(thinking), signature: textOf(signature), data: textOf(data) }),
    );
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
const textOrNull = (value: unknown) => (value === null ? null : textOf(value));
