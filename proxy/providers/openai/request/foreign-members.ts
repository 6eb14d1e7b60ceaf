/**
 * Removes members beyond OpenAI's interface, which are for Anthropic models: marks of prompts to cache, and signed
 * thinking. Coding agents mark every prompt, and OpenAI refuses unknown members. A provider that supports the marks,
 * such as OpenRouter, has the quirk `cacheControl: pass`.
 */
import type { Quirks } from '../../../../shared/catalogue/published-catalogue.ts';
import { isObject } from '../../../../shared/members.ts';
import { asArray, type JsonRecord } from '../../../json/record.ts';
import type { Call } from '../../../request/call.ts';

interface Body {
  readonly messages?: unknown;
  readonly tools?: unknown;
}

/** The messages and tools without these members; the same objects if there are none. */
export function withoutForeignMembers({ text, body }: Call, { cacheControl = 'drop' }: Quirks): Body {
  // Searching the text for a name is far cheaper than going through the messages, and most have none.
  const hasMarks = cacheControl === 'drop' && text.includes('"cache_control"');
  if (!hasMarks && !text.includes('"thinking_blocks"')) return body;
  const names = hasMarks ? ['cache_control', 'thinking_blocks'] : ['thinking_blocks'];
  return {
    messages: asArray(body.messages).map((message) => withoutIn(message, names)),
    ...(Array.isArray(body.tools) && { tools: body.tools.map((tool) => without(tool, names)) }),
  };
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
