/** POST /v1/chat/completions. */
import { checkValue } from '../../../shared/http/check-value.ts';
import type { ChatCall } from '../../nouns/call.ts';
import { hasOnly, type JsonRecord } from '../../nouns/json/record.ts';
import { type ChatRequest, chatRequestSchema } from '../../nouns/requests/chat-request.ts';
import { isLongMedia } from '../../nouns/requests/long-media.ts';
import { refuseUnpriced } from '../../nouns/requests/unpriced-parameters.ts';
import { findLongCacheWrite } from './content/cache-control.ts';
import { checkMembers, messageMembers, partMembers } from './content/known-members.ts';
import { checkContent } from './content/message-content.ts';
import { boundNestedJson } from './content/nested-json.ts';
import { refuseProviderFiles } from './content/provider-files.ts';
import { withOfferedTools } from './offered-tools.ts';

/** Throws GatewayError `missing_parameter`, `invalid_parameter` or `unsupported_parameter`. */
export function readChatCompletion(value: object, text: string): ChatCall {
  const requested = checkValue(chatRequestSchema, value);
  checkContent(requested.messages);
  const { body, text: offered, ...hosted } = withOfferedTools(requested, text);
  refuseUnpriced(body, { mayBeAudio: true });
  return {
    ...chatCallOf(body, { text: offered, bytes: Buffer.byteLength(text) }),
    outputsAudio: wantsAudio(body),
    ...hosted,
  };
}

/** Of a model that may return text alone, such as gpt-audio, if both are wanted. */
function wantsAudio({ modalities, audio }: JsonRecord): boolean {
  return (Array.isArray(modalities) && modalities.includes('audio')) || (audio ?? null) !== null;
}

/** Throws GatewayError `unsupported_parameter`. `text` is the body as JSON, `bytes` the size of the client's body. */
export function chatCallOf(body: ChatRequest, { text, bytes }: { text: string; bytes: number }): ChatCall {
  const longCacheWriteAt = findLongCacheWrite(body);
  boundNestedJson(body.messages);
  const { promptTexts, mediaParts, hasLongMedia, hasCalls } = readPrompt(body);
  return {
    kind: 'chat',
    model: body.model,
    stream: body.stream ?? false,
    includeUsage: body.stream_options?.include_usage ?? false,
    n: body.n ?? 1,
    choices: body.n ?? 1,
    outputCap: lowerOf(body.max_completion_tokens, body.max_tokens),
    text,
    body,
    bytes,
    mediaParts,
    hasLongMedia,
    hasCalls,
    promptTexts,
    ...(longCacheWriteAt !== undefined && { longCacheWriteAt }),
  };
}

function lowerOf(one: number | null | undefined, other: number | null | undefined): number | undefined {
  if (typeof one !== 'number') return other ?? undefined;
  return typeof other === 'number' ? Math.min(one, other) : one;
}

function readPrompt(body: ChatRequest) {
  const promptTexts: string[] = [];
  let mediaParts = 0;
  let hasLongMedia = false;
  let hasCalls = Array.isArray((body as JsonRecord).functions);
  let index = -1;
  for (const message of body.messages) {
    index += 1;
    const { content } = message;
    refuseProviderFiles(message, index);
    if (!hasOnly(message, messageMembers) && checkMembers(message, messageMembers, `messages[${index}]`))
      hasLongMedia = true;
    if (message.tool_calls && message.tool_calls.length > 0) hasCalls = true;
    if (!Array.isArray(content)) {
      promptTexts.push(content ?? '');
      continue;
    }
    let place = -1;
    for (const part of content) {
      place += 1;
      if (!hasOnly(part, partMembers)) checkMembers(part, partMembers, `messages[${index}].content[${place}]`);
      if (part.type === 'text') promptTexts.push(part.text ?? '');
      else {
        mediaParts += 1;
        hasLongMedia ||= isLongMedia(part);
      }
    }
  }
  return { promptTexts, mediaParts, hasLongMedia, hasCalls };
}
