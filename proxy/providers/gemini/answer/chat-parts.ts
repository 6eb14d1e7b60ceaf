/** The pieces of an answer as the members of a chat completion's message or delta. */
import type { FinishReason, ToolCall } from '../../../interfaces/chat-completion.ts';
import type { Piece } from './answer-piece.ts';

export function toolCallOf({ call, signature }: Extract<Piece, { kind: 'call' }>): ToolCall {
  return {
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
    ...signed(signature),
  };
}

/** Where Google's own OpenAI-compatible interface puts the signature of a thought. */
export function signed(signature: string | undefined): { extra_content?: { google: { thought_signature: string } } } {
  return signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };
}

/** A generated picture, in the form that OpenRouter has made known. */
export function imageOf(url: string) {
  return { type: 'image_url', image_url: { url } };
}

/** Gemini stops after a call as after anything else. */
export function finishOf(reason: FinishReason, calls: number): FinishReason {
  return reason === 'stop' && calls > 0 ? 'tool_calls' : reason;
}

/** What counts for an estimate of the output. */
export function generatedText(piece: Piece): string {
  if (piece.kind === 'call') return piece.call.arguments;
  return piece.kind === 'image' ? '' : piece.text;
}
