/**
 * Collects chat messages from a Responses input. Reasoning, texts and calls of one turn of the model are separate items
 * there, and become one assistant message, directly followed by the outputs of its calls.
 */
import type { ThinkingBlock, TurnBlock } from '../../../nouns/chat-completion.ts';
import type { ChatMessage, ChatToolCall } from '../../../nouns/requests/chat-request.ts';
import { fitsChatMessage, orderedTurn } from '../../../nouns/requests/ordered-turn.ts';

interface Turn {
  readonly texts: string[];
  readonly refusals: string[];
  readonly reasoning: string[];
  readonly thinkingBlocks: ThinkingBlock[];
  readonly toolCalls: ChatToolCall[];
  /** All of these, except for unsigned reasoning, as they follow one another. */
  readonly order: TurnBlock[];
  hasSearched: boolean;
}

export class Conversation {
  readonly #messages: ChatMessage[] = [];
  #turn: Turn | undefined;

  /** Adds a message that is not the model's. */
  add(message: ChatMessage): void {
    this.#endTurn();
    this.#messages.push(message);
  }

  addReasoning(reasoning: string, blocks: readonly ThinkingBlock[]): void {
    const turn = this.#openTurn();
    if (reasoning !== '') turn.reasoning.push(reasoning);
    turn.thinkingBlocks.push(...blocks);
    turn.order.push(...blocks);
  }

  addText({ text, refusal }: { text: string; refusal: string }): void {
    const turn = this.#openTurn();
    if (text !== '') turn.texts.push(text);
    if (refusal !== '') turn.refusals.push(refusal);
    for (const each of [text, refusal]) if (each !== '') turn.order.push({ type: 'text', text: each });
  }

  addToolCall(toolCall: ChatToolCall): void {
    const { toolCalls, order } = this.#openTurn();
    const length = toolCalls.push(toolCall);
    order.push({ type: 'call', index: length - 1 });
  }

  /** What it found is not sent back, only the text that says it. */
  addSearch(): void {
    this.#openTurn().hasSearched = true;
  }

  messages(): readonly ChatMessage[] {
    this.#endTurn();
    return this.#messages;
  }

  #openTurn(): Turn {
    this.#turn ??= {
      texts: [],
      refusals: [],
      reasoning: [],
      thinkingBlocks: [],
      toolCalls: [],
      order: [],
      hasSearched: false,
    };
    return this.#turn;
  }

  #endTurn(): void {
    const turn = this.#turn;
    this.#turn = undefined;
    // A chat message cannot consist of reasoning alone, as left by a response that was cut off within it.
    if (turn === undefined || turn.texts.length + turn.refusals.length + turn.toolCalls.length === 0) return;
    this.#messages.push(assistantMessage(turn));
  }
}

function assistantMessage(turn: Turn): ChatMessage {
  const { texts, refusals, reasoning, thinkingBlocks, toolCalls } = turn;
  return {
    role: 'assistant',
    content: texts.length > 0 ? texts.join('\n\n') : null,
    ...(refusals.length > 0 && { refusal: refusals.join('\n\n') }),
    ...(reasoning.length > 0 && { reasoning_content: reasoning.join('\n\n') }),
    ...(thinkingBlocks.length > 0 && { thinking_blocks: thinkingBlocks }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    ...orderOf(turn),
  };
}

function orderOf({ order, hasSearched }: Turn): Pick<ChatMessage, typeof orderedTurn> {
  if (hasSearched) return { [orderedTurn]: 'unknown' };
  return fitsChatMessage(order) ? {} : { [orderedTurn]: order };
}
