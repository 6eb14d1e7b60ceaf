/**
 * Removes members beyond OpenAI's API, which are for Anthropic models: marks of prompts to cache, and signed
 * thinking. Coding agents mark every prompt, and OpenAI refuses unknown members. A provider that supports the marks,
 * such as OpenRouter, has the quirk `cacheControl: pass`.
 */
import type { Quirks } from '../../../../shared/catalogue/published-catalogue.ts';
import { isObject } from '../../../../shared/members.ts';
import type { Call } from '../../../nouns/call.ts';
import { asArray, type JsonRecord } from '../../../nouns/json/record.ts';

interface Body {
  readonly messages?: unknown;
  readonly tools?: unknown;
}

/** The messages and tools without these members; the same objects if there are none. */
export function withoutForeignMembers({ body }: Call, { cacheControl = 'drop' }: Quirks): Body {
  const names = cacheControl === 'drop' ? ['cache_control', 'thinking_blocks'] : ['thinking_blocks'];
  const messages = asArray(body.messages);
  const tools = asArray(body.tools);
  // Searching the text instead would read every byte of a long prompt.
  if (!messages.some((message) => hasAnyIn(message, names)) && !tools.some((tool) => hasAny(tool, names))) return body;
  return {
    messages: messages.map((message) => withoutIn(message, names)),
    ...(Array.isArray(body.tools) && { tools: tools.map((tool) => without(tool, names)) }),
  };
}

/** In the message or a part of its content. */
function hasAnyIn(message: unknown, names: readonly string[]): boolean {
  if (hasAny(message, names)) return true;
  return isObject(message) && Array.isArray(message.content) && message.content.some((part) => hasAny(part, names));
}

function hasAny(value: unknown, names: readonly string[]): boolean {
  return isObject(value) && names.some((name) => Object.hasOwn(value, name));
}

function withoutIn(message: unknown, names: readonly string[]): unknown {
  const rest = without(message, names);
  if (!isObject(rest) || !Array.isArray(rest.content)) return rest;
  return { ...rest, content: rest.content.map((part) => without(part, names)) };
}

function without(value: unknown, names: readonly string[]): unknown {
  if (!isObject(value)) return value;
  const kept: JsonRecord = Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
  return kept;
}
