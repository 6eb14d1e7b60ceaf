/**
 * The content blocks of a streamed message that are under way, and what each of them becomes in a chat completion.
 * Blocks may overlap; each is known by its index.
 */
import type { ChatDelta } from '../../interfaces/chat-completion.ts';
import { eventMaxCharacters } from '../../upstream/limits.ts';
import { UpstreamFailure } from '../../upstream/upstream-failure.ts';
import { toolCallId } from './completion-id.ts';
import type { BlockDelta, ModelBlock, ToolUse } from './model-block.ts';

interface Thought {
  readonly type: 'thought';
  thinking: string;
  signature: string;
}

interface Call {
  readonly type: 'call';
  /** Among the calls that the client sees; undefined where the input is the JSON answer itself. */
  readonly index: number | undefined;
  /** Input that came with the block's start. */
  readonly preset: string;
  hasInput: boolean;
}

export class OpenBlocks {
  /** Those that the client sees. */
  toolCalls = 0;
  readonly #jsonTool: string | undefined;
  readonly #completionId: () => string;
  readonly #blocks = new Map<number, Thought | Call>();
  /** Text beside a JSON answer, until it is known whether there is one. */
  #asideText = '';
  #hasJson = false;

  constructor(options: { jsonTool: string | undefined; completionId: () => string }) {
    this.#jsonTool = options.jsonTool;
    this.#completionId = options.completionId;
  }

  start(index: number, block: ModelBlock): ChatDelta[] {
    const ended = this.stop(index);
    switch (block.type) {
      case 'text':
        return [...ended, ...this.#text(block.text ?? '')];
      case 'thinking':
        this.#blocks.set(index, { type: 'thought', thinking: '', signature: block.signature ?? '' });
        return [...ended, ...this.#think(index, block.thinking ?? '')];
      case 'redacted_thinking':
        return [...ended, { thinking_blocks: [{ type: 'redacted_thinking', data: block.data ?? '' }] }];
      case 'tool_use':
        return [...ended, ...this.#call(index, block)];
    }
  }

  continue(index: number, delta: BlockDelta): ChatDelta[] {
    switch (delta.type) {
      case 'text_delta':
        return this.#text(delta.text ?? '');
      case 'thinking_delta':
        return this.#think(index, delta.thinking ?? '');
      case 'signature_delta': {
        const thought = this.#thoughtAt(index);
        thought.signature = grow(thought.signature, delta.signature ?? '');
        return [];
      }
      case 'input_json_delta':
        return this.#input(index, delta.partial_json ?? '');
    }
  }

  stop(index: number): ChatDelta[] {
    const block = this.#blocks.get(index);
    if (block === undefined) return [];
    this.#blocks.delete(index);
    if (block.type === 'call') return block.hasInput ? [] : [inputDelta(block, block.preset)];
    const { thinking, signature } = block;
    return thinking === '' && signature === ''
      ? []
      : [{ thinking_blocks: [{ type: 'thinking', thinking, signature }] }];
  }

  /** Ends what the provider has left open. */
  stopAll(): ChatDelta[] {
    const deltas = [...this.#blocks.keys()].flatMap((index) => this.stop(index));
    const aside = this.#hasJson ? '' : this.#asideText;
    this.#asideText = '';
    return aside === '' ? deltas : [...deltas, { content: aside }];
  }

  #text(text: string): ChatDelta[] {
    if (text === '') return [];
    if (this.#jsonTool === undefined) return [{ content: text }];
    this.#asideText = grow(this.#asideText, text);
    return [];
  }

  #think(index: number, thinking: string): ChatDelta[] {
    if (thinking === '') return [];
    const thought = this.#thoughtAt(index);
    thought.thinking = grow(thought.thinking, thinking);
    return [{ reasoning_content: thinking }];
  }

  #thoughtAt(index: number): Thought {
    const block = this.#blocks.get(index);
    if (block?.type === 'thought') return block;
    const thought: Thought = { type: 'thought', thinking: '', signature: '' };
    this.#blocks.set(index, thought);
    return thought;
  }

  #call(index: number, block: ToolUse): ChatDelta[] {
    const preset = JSON.stringify(block.input ?? {});
    if (this.#jsonTool !== undefined && block.name === this.#jsonTool && !this.#hasJson) {
      this.#hasJson = true;
      this.#blocks.set(index, { type: 'call', index: undefined, preset, hasInput: false });
      return [];
    }
    const callIndex = this.toolCalls;
    this.toolCalls += 1;
    this.#blocks.set(index, { type: 'call', index: callIndex, preset, hasInput: false });
    const id = block.id || toolCallId(this.#completionId(), callIndex);
    const named = { name: block.name ?? '', arguments: '' };
    return [{ tool_calls: [{ index: callIndex, id, type: 'function', function: named }] }];
  }

  /** Input of blocks that are none of ours, such as a server's own tools, is passed over. */
  #input(index: number, json: string): ChatDelta[] {
    const block = this.#blocks.get(index);
    if (json === '' || block?.type !== 'call') return [];
    block.hasInput = true;
    return [inputDelta(block, json)];
  }
}

/** What weighs of a delta. A thought's text has been counted by the time that its block is whole. */
export function generatedTexts({ content, reasoning_content, tool_calls }: ChatDelta): string[] {
  const call = tool_calls?.[0]?.function;
  return [content ?? reasoning_content ?? call?.arguments ?? '', call?.name ?? ''];
}

function inputDelta(call: Call, json: string): ChatDelta {
  if (call.index === undefined) return { content: json };
  return { tool_calls: [{ index: call.index, function: { arguments: json } }] };
}

function grow(text: string, more: string): string {
  if (text.length + more.length > eventMaxCharacters) {
    throw new UpstreamFailure('malformed', 'The provider sent a content block that is too large.');
  }
  return text + more;
}
