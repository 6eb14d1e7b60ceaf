/**
 * The open content blocks of a streamed message, and what each becomes in a chat completion. Blocks may overlap; the
 * index identifies them.
 */
import { readJson } from '../../../shared/read-json.ts';
import type { ChatDelta, SearchBlock, ThinkingBlock } from '../../nouns/chat-completion.ts';
import { eventMaxCharacters } from '../../nouns/limits.ts';
import { UpstreamFailure } from '../../nouns/upstream-failure.ts';
import { toolCallId } from './ids.ts';
import type { BlockDelta, ModelBlock, ServerToolUse, ToolUse } from './model-block.ts';
import { annotationsOf, citationsOf, isRunSearch, type Shown, searchBlockOf } from './web-searches.ts';

interface Thinking {
  readonly type: 'thinking';
  thinking: string;
  signature: string;
  /** The turn begins with it, or with other thinking. */
  readonly leads: boolean;
}

interface Text {
  readonly type: 'text';
  /** Where it begins in the message's text. */
  readonly begin: number;
  readonly citations: unknown[];
}

interface Search {
  readonly type: 'search';
  readonly block: ServerToolUse;
  json: string;
}

interface Call {
  readonly type: 'call';
  /** Among the calls that the client sees; undefined if the input is the JSON response itself. */
  readonly index: number | undefined;
  /** Input that came with the block's start. */
  readonly preset: string;
  hasInput: boolean;
}

interface OpenBlocksOptions {
  readonly jsonTool: string | undefined;
  readonly completionId: () => string;
  readonly keepsOrder?: boolean | undefined;
  readonly shown?: Shown | undefined;
}

export class OpenBlocks {
  /** The number of calls that the client sees. */
  toolCalls = 0;
  /** The number of searches of the web that have been run. */
  webSearches = 0;
  readonly #jsonTool: string | undefined;
  readonly #completionId: () => string;
  readonly #keepsOrder: boolean;
  readonly #shown: Shown;
  readonly #blocks = new Map<number, Thinking | Call | Text | Search>();
  /** Of the message so far, in UTF-16 units. */
  #textLength = 0;
  /** Text beside a JSON response, until it is known whether there is one. */
  #asideText = '';
  #hasJson = false;
  /** Something else than thinking has begun. */
  #isPastThinking = false;

  constructor(options: OpenBlocksOptions) {
    this.#jsonTool = options.jsonTool;
    this.#completionId = options.completionId;
    // A response in JSON is no turn that could go back.
    this.#keepsOrder = options.keepsOrder === true && options.jsonTool === undefined;
    this.#shown = options.shown ?? {};
  }

  start(index: number, block: ModelBlock): ChatDelta[] {
    const ended = this.stop(index);
    this.#isPastThinking ||= block.type !== 'thinking' && block.type !== 'redacted_thinking';
    switch (block.type) {
      case 'text':
        this.#blocks.set(index, { type: 'text', begin: this.#textLength, citations: citationsOf(block.citations) });
        return [...ended, ...this.#addText(block.text ?? '')];
      case 'server_tool_use':
        this.#blocks.set(index, { type: 'search', block, json: '' });
        return ended;
      case 'web_search_tool_result':
        if (isRunSearch(block)) this.webSearches += 1;
        return [...ended, ...searchDelta(searchBlockOf(block, this.#shown))];
      case 'thinking':
        this.#thinkingAt(index).signature = block.signature ?? '';
        return [...ended, ...this.#addThinking(index, block.thinking ?? '')];
      case 'redacted_thinking':
        return [
          ...ended,
          ...this.#signed({ type: 'redacted_thinking', data: block.data ?? '' }, !this.#isPastThinking),
        ];
      case 'tool_use':
        return [...ended, ...this.#addToolCall(index, block)];
    }
  }

  continue(index: number, delta: BlockDelta): ChatDelta[] {
    switch (delta.type) {
      case 'text_delta':
        return this.#addText(delta.text ?? '');
      case 'citations_delta': {
        const block = this.#blocks.get(index);
        if (block?.type === 'text') block.citations.push(...citationsOf([delta.citation]));
        return [];
      }
      case 'thinking_delta':
        return this.#addThinking(index, delta.thinking ?? '');
      case 'signature_delta': {
        const block = this.#thinkingAt(index);
        block.signature = append(block.signature, delta.signature ?? '');
        return [];
      }
      case 'input_json_delta':
        return this.#addInput(index, delta.partial_json ?? '');
    }
  }

  stop(index: number): ChatDelta[] {
    const block = this.#blocks.get(index);
    if (block === undefined) return [];
    this.#blocks.delete(index);
    if (block.type === 'text') return this.#cite(block);
    if (block.type === 'search') return searchDelta(searchBlockOf(withInput(block), this.#shown));
    if (block.type === 'call') return block.hasInput ? [] : [inputDelta(block, block.preset)];
    const { thinking, signature, leads } = block;
    return thinking === '' && signature === '' ? [] : this.#signed({ type: 'thinking', thinking, signature }, leads);
  }

  /** Ends the blocks that the provider has left open. */
  stopAll(): ChatDelta[] {
    const deltas = [...this.#blocks.keys()].flatMap((index) => this.stop(index));
    const aside = this.#hasJson ? '' : this.#asideText;
    this.#asideText = '';
    return aside === '' ? deltas : [...deltas, { content: aside }];
  }

  /** Behind something else, it is signed at a place that a chat message does not have. */
  #signed(block: ThinkingBlock, leads: boolean): ChatDelta[] {
    return leads || this.#keepsOrder ? [{ thinking_blocks: [block] }] : [];
  }

  #addText(text: string): ChatDelta[] {
    if (text === '') return [];
    this.#isPastThinking = true;
    if (this.#jsonTool === undefined) {
      this.#textLength += text.length;
      return [{ content: text }];
    }
    this.#asideText = append(this.#asideText, text);
    return [];
  }

  /** A JSON response has no citations, and the text beside it is left out. */
  #cite({ begin, citations }: Text): ChatDelta[] {
    if (this.#jsonTool !== undefined) return [];
    const shown = this.#shown;
    const annotations = annotationsOf(citations, { begin, end: this.#textLength, shown });
    if (annotations.length === 0 && !shown.showsResults) return [];
    return [
      { ...(annotations.length > 0 && { annotations }), ...(shown.showsResults && { text_ends: true as const }) },
    ];
  }

  #addThinking(index: number, thinking: string): ChatDelta[] {
    if (thinking === '') return [];
    const block = this.#thinkingAt(index);
    block.thinking = append(block.thinking, thinking);
    return [{ reasoning_content: thinking }];
  }

  #thinkingAt(index: number): Thinking {
    const known = this.#blocks.get(index);
    if (known?.type === 'thinking') return known;
    const block: Thinking = { type: 'thinking', thinking: '', signature: '', leads: !this.#isPastThinking };
    this.#blocks.set(index, block);
    return block;
  }

  #addToolCall(index: number, block: ToolUse): ChatDelta[] {
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

  /** Ignores input of other blocks. */
  #addInput(index: number, json: string): ChatDelta[] {
    const block = this.#blocks.get(index);
    if (block?.type === 'search') block.json = append(block.json, json);
    if (json === '' || block?.type !== 'call') return [];
    block.hasInput = true;
    return [inputDelta(block, json)];
  }
}

function searchDelta(blocks: readonly SearchBlock[]): ChatDelta[] {
  return blocks.length === 0 ? [] : [{ search_blocks: blocks }];
}

/** The model writes it, so it may not be JSON. */
function withInput({ block, json }: Search): ServerToolUse {
  return { ...block, input: readJson(json) ?? block.input };
}

/** The texts of a delta that count as output. Thinking is counted when it is streamed, not again with its block. */
export function generatedTexts({ content, reasoning_content, tool_calls }: ChatDelta): string[] {
  const call = tool_calls?.[0]?.function;
  return [content ?? reasoning_content ?? call?.arguments ?? '', call?.name ?? ''];
}

function inputDelta(call: Call, json: string): ChatDelta {
  if (call.index === undefined) return { content: json };
  return { tool_calls: [{ index: call.index, function: { arguments: json } }] };
}

function append(text: string, more: string): string {
  if (text.length + more.length > eventMaxCharacters) {
    throw new UpstreamFailure('malformed', 'The provider sent a content block that is too large.');
  }
  return text + more;
}
