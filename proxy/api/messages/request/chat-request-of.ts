/** Translates a Messages request to a chat completion request, which every adapter accepts. */
import { missingParameter } from '../../../../shared/http/parameter-errors.ts';
import { withoutNullish } from '../../../../shared/members.ts';
import type { ChatCall } from '../../../nouns/call.ts';
import type { ChatMessage, ChatRequest } from '../../../nouns/requests/chat-request.ts';
import { orderedTurn } from '../../../nouns/requests/ordered-turn.ts';
import { pricedTierOf, refuseUnpriced } from '../../../nouns/requests/unpriced-parameters.ts';
import type { WebSearch } from '../../../nouns/requests/web-search.ts';
import { longMarkOf } from '../../chat-completions/content/cache-control.ts';
import { assistantMessage } from './assistant-turn.ts';
import { textBlocks } from './block-schemas.ts';
import { contentOf, partsOf, withCacheControl } from './content-parts.ts';
import { readBlocks } from './read-blocks.ts';
import { reasoningOf } from './read-reasoning.ts';
import { toolParameters } from './read-tools.ts';
import type { MessagesRequest } from './request-schema.ts';
import { userMessages } from './user-turn.ts';

interface TranslatedRequest extends Pick<ChatCall, 'effortAlone'> {
  readonly body: ChatRequest;
  readonly removedTools: readonly string[];
  readonly webSearch: WebSearch | undefined;
}

/** Throws GatewayError whose `param` is a path into the Messages request. */
export function chatRequestOf(request: MessagesRequest): TranslatedRequest {
  refuseUnpriced(request);
  longMarkOf(request, '');
  const { stop_sequences: stop, output_config, metadata } = request;
  const { parameters, ...hosted } = toolParameters(request);
  const { parameters: reasoning, ...alone } = reasoningOf(request);
  const body = {
    model: request.model,
    messages: markEnd(chatMessages(request), request.cache_control),
    max_tokens: request.max_tokens,
    ...withoutNullish({
      stream: request.stream,
      temperature: request.temperature,
      top_p: request.top_p,
      top_k: request.top_k,
      stop: stop && stop.length > 0 ? stop : undefined,
      user: metadata?.user_id,
      service_tier: pricedTierOf(request),
      response_format: output_config?.format ? responseFormat(output_config.format.schema) : undefined,
    }),
    ...parameters,
    ...reasoning,
  };
  return { body, ...hosted, ...alone };
}

function chatMessages({ system, messages }: MessagesRequest): ChatMessage[] {
  return [
    ...(system === undefined || system === null ? [] : systemMessages(system, 'system')),
    ...messages.flatMap(({ role, content }, index) => {
      const at = `messages[${index}].content`;
      if ((content ?? null) === null || isEmptyList(content)) throw missingParameter(at);
      if (role === 'system') return systemMessages(content, at);
      return role === 'assistant' ? [assistantMessage(content, at)] : userMessages(content, at);
    }),
  ];
}

function systemMessages(content: unknown, at: string): ChatMessage[] {
  const parts = readBlocks(textBlocks, content, at).flatMap((block) => partsOf(block, at));
  return parts.length === 0 ? [] : [{ role: 'system', content: contentOf(parts) }];
}

function markEnd(messages: ChatMessage[], cacheControl: MessagesRequest['cache_control']): ChatMessage[] {
  const last = messages.at(-1);
  if (!cacheControl || !last) return messages;
  const { content, [orderedTurn]: order } = last;
  // It is sent in its own order, of which the content is a part.
  if (order !== undefined) return [...messages.slice(0, -1), { ...last, cache_control: cacheControl }];
  if (!content) return messages;
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return [...messages.slice(0, -1), { ...last, content: withCacheControl(parts, cacheControl) }];
}

function responseFormat(schema: Record<string, unknown>) {
  return { type: 'json_schema', json_schema: { name: 'output', schema, strict: true } };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
