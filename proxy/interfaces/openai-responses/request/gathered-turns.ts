/**
 * Chat messages as they grow out of a Responses input. What the model did in one turn (thoughts, texts, calls) stands
 * there as items of their own and has to become one assistant message, with the outputs of its calls right behind it.
 */
import type { ChatMessage, ChatToolCall } from '../../../request/chat-request.ts';
import type { ThinkingBlock } from '../../chat-completion.ts';

interface Turn {
  readonly texts: string[];
  readonly refusals: string[];
  readonly reasoning: string[];
  readonly thinkingBlocks: ThinkingBlock[];
  readonly toolCalls: ChatToolCall[];
}

export class Conversation {
  readonly #messages: ChatMessage[] = [];
  #turn: Turn | undefined;

  /** Anything but the model's own doing. */
  add(message: ChatMessage): void {
    this.#endTurn();
    this.#messages.push(message);
  }

  think(reasoning: string, blocks: readonly ThinkingBlock[]): void {
    const turn = this.#openTurn();
    if (reasoning !== '') turn.reasoning.push(reasoning);
    turn.thinkingBlocks.push(...blocks);
  }

  say({ text, refusal }: { text: string; refusal: string }): void {
    const turn = this.#openTurn();
    if (text !== '') turn.texts.push(text);
    if (refusal !== '') turn.refusals.push(refusal);
  }

  call(toolCall: ChatToolCall): void {
    this.#openTurn().toolCalls.push(toolCall);
  }

  messages(): readonly ChatMessage[] {
    this.#endTurn();
    return this.#messages;
  }

  #openTurn(): Turn {
    this.#turn ??= { texts: [], refusals: [], reasoning: [], thinkingBlocks: [], toolCalls: [] };
    return this.#turn;
  }

  #endTurn(): void {
    const turn = this.#turn;
    this.#turn = undefined;
    // Thoughts that led to nothing, as where an answer was cut off in them: no chat message can consist of them.
    if (turn === undefined || turn.texts.length + turn.refusals.length + turn.toolCalls.length === 0) return;
    this.#messages.push(assistantMessage(turn));
  }
}

function assistantMessage({ texts, refusals, reasoning, thinkingBlocks, toolCalls }: Turn): ChatMessage {
  return {
    role: 'assistant',
    content: texts.length > 0 ? texts.join('\n\n') : null,
    ...(refusals.length > 0 && { refusal: refusals.join('\n\n') }),
    ...(reasoning.length > 0 && { reasoning_content: reasoning.join('\n\n') }),
    ...(thinkingBlocks.length > 0 && { thinking_blocks: thinkingBlocks }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
  };
}
