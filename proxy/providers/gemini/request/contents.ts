/**
 * Translates chat messages to Gemini's contents: `user` and `model` turns, with tool results as user turns identified
 * by the function's name, and system and developer messages separately.
 */
import { invalidParameter } from '../../../../shared/http/parameter-errors.ts';
import { asRecord, asText, type JsonRecord } from '../../../nouns/json/record.ts';
import type { ChatMessage } from '../../../nouns/requests/chat-request.ts';
import { type Content, textOfPart } from './content.ts';
import { functionCallParts } from './function-call-parts.ts';
import { mediaPartOf } from './media-part.ts';
import { ToolResults } from './tool-results.ts';

export interface Prompt {
  readonly contents: readonly Content[];
  readonly systemInstruction: { readonly parts: readonly JsonRecord[] } | undefined;
}

/** Throws GatewayError that names the message at fault. */
export function promptOf(messages: readonly ChatMessage[], model: string): Prompt {
  const system: JsonRecord[] = [];
  const contents: Content[] = [];
  const results = new ToolResults();
  for (const [index, message] of messages.entries()) {
    const param = `messages[${index}]`;
    switch (message.role) {
      case 'system':
      case 'developer':
        system.push(...partsOf(message.content, param));
        break;
      case 'tool':
      case 'function':
        results.add(message, { param, media: mediaOf(message.content, param) });
        break;
      case 'assistant':
        results.flushInto(contents);
        results.noteCalls(message.tool_calls ?? []);
        push(contents, 'model', assistantParts(message, param, model));
        break;
      default:
        results.flushInto(contents);
        push(contents, 'user', partsOf(message.content, param));
    }
  }
  results.flushInto(contents);
  if (contents.length > 0) return { contents, systemInstruction: system.length === 0 ? undefined : { parts: system } };
  if (system.length === 0) {
    throw invalidParameter('messages', 'a message that is not empty');
  }
  // The API needs at least one turn, so a chat of only system messages becomes a user turn.
  return { contents: [{ role: 'user', parts: system }], systemInstruction: undefined };
}

/** Gemini refuses turns without parts. */
function push(contents: Content[], role: Content['role'], parts: readonly JsonRecord[]): void {
  if (parts.length > 0) contents.push({ role, parts });
}

function assistantParts(message: ChatMessage, param: string, model: string): JsonRecord[] {
  const parts = [...partsOf(message.content, param), ...(message.refusal ? [{ text: message.refusal }] : [])];
  const signature = thoughtSignatureOf(message);
  if (signature !== undefined) {
    const last = parts.pop() ?? { text: '' };
    parts.push({ ...last, thoughtSignature: signature });
  }
  return [...parts, ...functionCallParts(message.tool_calls ?? [], { param, model })];
}

/** In the place where the gateway has put it, next to the text. */
function thoughtSignatureOf(message: JsonRecord): string | undefined {
  return asText(asRecord(asRecord(message.extra_content).google).thought_signature);
}

function partsOf(content: ChatMessage['content'], param: string): JsonRecord[] {
  if (!Array.isArray(content)) return content ? [{ text: content }] : [];
  return content.flatMap((part, index) => {
    const text = textOfPart(part);
    if (text === undefined) return [mediaPartOf(part, `${param}.content[${index}]`)];
    return text === '' ? [] : [{ text }];
  });
}

function mediaOf(content: ChatMessage['content'], param: string): JsonRecord[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part, index) =>
    textOfPart(part) === undefined ? [mediaPartOf(part, `${param}.content[${index}]`)] : [],
  );
}
