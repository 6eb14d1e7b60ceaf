/** Translates pieces of a response to members of a chat completion's message or delta. */
import type { FinishReason, ToolCall } from '../../../nouns/chat-completion.ts';
import type { Piece } from './answer-piece.ts';

export function toolCallOf({ call, signature }: Extract<Piece, { kind: 'call' }>): ToolCall {
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

/** The text that counts when the output is estimated. */
export function generatedText(piece: Piece): string {
  if (piece.kind === 'call') return piece.call.arguments;
  return piece.kind === 'image' ? '' : piece.text;
}
