/** POST /v1/chat/completions. */
import { checkValue } from '../../shared/http/check-value.ts';
import { boundNestedJson } from '../intake/nested-json.ts';
import type { ChatCall } from '../request/call.ts';
import { type ChatMessage, type ChatRequest, chatRequestSchema } from '../request/chat-request.ts';
import { isLongMedia } from '../request/long-media.ts';
import { checkContent } from '../request/message-content.ts';
import { refuseUnpriced } from '../request/unpriced-parameters.ts';

/** Throws GatewayError `missing_parameter`, `invalid_parameter` or `unsupported_parameter`. */
export function readChatCompletion(value: object, text: string): ChatCall {
  const body = checkValue(chatRequestSchema, value);
  checkContent(body.messages);
  return chatCallOf(body, { text, bytes: Buffer.byteLength(text) });
}

/** Throws GatewayError `unsupported_parameter`. `text` is the body as JSON, `bytes` the size of what the client sent. */
export function chatCallOf(body: ChatRequest, { text, bytes }: { text: string; bytes: number }): ChatCall {
  refuseUnpriced(body);
  boundNestedJson(body.messages);
  const { promptTexts, mediaParts, hasLongMedia } = readPrompt(body.messages);
  return {
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
    promptTexts,
    unspokenTexts: () => unspokenTexts(body),
  };
}

function lowerOf(one: number | null | undefined, other: number | null | undefined): number | undefined {
  if (typeof one !== 'number') return other ?? undefined;
  return typeof other === 'number' ? Math.min(one, other) : one;
}

function readPrompt(messages: readonly ChatMessage[]) {
  const promptTexts: string[] = [];
  let mediaParts = 0;
  let hasLongMedia = false;
  for (const { content } of messages) {
    if (!Array.isArray(content)) {
      promptTexts.push(content ?? '');
      continue;
    }
    for (const part of content) {
      if (part.type === 'text') promptTexts.push(part.text ?? '');
      else {
        mediaParts += 1;
        hasLongMedia ||= isLongMedia(part);
      }
    }
  }
  return { promptTexts, mediaParts, hasLongMedia };
}

/** Tools, their earlier calls and the form of the answer: a client could hide its whole prompt there. */
function unspokenTexts({ messages, tools, response_format: format }: ChatRequest): string[] {
  const calls = messages.flatMap((message) => message.tool_calls ?? []);
  const refusals = messages.map(({ refusal }) => refusal ?? '');
  return [
    ...refusals,
    ...[...(tools ?? []), ...calls, ...(format?.json_schema ? [format.json_schema] : [])].map(wordsOf),
  ];
}

/** Without the syntax, which providers write in ways of their own, most of them shorter. */
function wordsOf(value: unknown): string {
  try {
    return JSON.stringify(value).replaceAll(/[{}[\]",:\\]+/g, ' ');
  } catch {
    // Nested deeper than the stack, and than any provider takes. An estimate is made to end a request: it never fails.
    return '';
  }
}
