/**
 * Removes members beyond OpenAI's API, since OpenAI refuses unknown ones. Marks of prompts to cache and signed thinking are
 * for Anthropic's models, and coding agents mark every prompt; `extra_content` has signatures of Gemini's, which a conversation
 * keeps when it goes on with another model. Providers that support a member have the quirk `cacheControl: pass`, such as
 * OpenRouter, or `extraContent: pass`, such as Google's endpoint of this protocol.
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
export function withoutForeignMembers({ body }: Call, quirks: Quirks): Body {
  const names = foreignTo(quirks);
  const messages = asArray(body.messages);
  const tools = asArray(body.tools);
  // Searching the text instead would read every byte of a long prompt.
  if (!messages.some((message) => hasAnyIn(message, names)) && !tools.some((tool) => hasAny(tool, names))) return body;
  return {
    messages: messages.map((message) => withoutIn(message, names)),
    ...(Array.isArray(body.tools) && { tools: tools.map((tool) => without(tool, names)) }),
  };
}

function foreignTo({ cacheControl = 'drop', extraContent = 'drop' }: Quirks): readonly string[] {
  return [
    'thinking_blocks',
    ...(cacheControl === 'drop' ? ['cache_control'] : []),
    ...(extraContent === 'drop' ? ['extra_content'] : []),
  ];
}

/** The members of a message whose items may have such members. */
const lists = ['content', 'tool_calls'] as const;

/** In the message, a part of its content or one of its calls. */
function hasAnyIn(message: unknown, names: readonly string[]): boolean {
  if (!isObject(message)) return false;
  return hasAny(message, names) || lists.some((list) => asArray(message[list]).some((item) => hasAny(item, names)));
}

function hasAny(value: unknown, names: readonly string[]): boolean {
  return isObject(value) && names.some((name) => Object.hasOwn(value, name));
}

function withoutIn(message: unknown, names: readonly string[]): unknown {
  const rest = without(message, names);
  if (!isObject(rest)) return rest;
  const changed: Record<string, unknown> = { ...rest };
  for (const list of lists) {
    const items = rest[list];
    if (Array.isArray(items)) changed[list] = items.map((item) => without(item, names));
  }
  return changed;
}

function without(value: unknown, names: readonly string[]): unknown {
  if (!isObject(value)) return value;
  const kept: JsonRecord = Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
  return kept;
}
