/** Translates parts of a response to members of a chat completion's message or delta. */
import type { FinishReason, ToolCall } from '../../../nouns/chat-completion.ts';
import type { ContentPart } from './content-part.ts';

export function toolCallOf({ call, signature }: Extract<ContentPart, { kind: 'call' }>): ToolCall {
  return {
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
    ...signed(signature),
  };
}

/** The thought signature, in the place where Google's own OpenAI-compatible API puts it. */
export function signed(signature: string | undefined): { extra_content?: { google: { thought_signature: string } } } {
  return signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };
}

/** A generated image, in OpenRouter's format, which clients know. */
export function imageOf(url: string) {
  return { type: 'image_url', image_url: { url } };
}

/** Gemini reports the same reason after a call as after text. */
export function finishOf(reason: FinishReason, calls: number): FinishReason {
  return reason === 'stop' && calls > 0 ? 'tool_calls' : reason;
}

/** The texts that count when the output is estimated. */
export function generatedTexts(part: ContentPart): readonly string[] {
  if (part.kind === 'call') return [part.call.name, part.call.arguments];
  return part.kind === 'image' ? [] : [part.text];
}
