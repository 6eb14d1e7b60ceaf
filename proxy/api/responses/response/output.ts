/**
 * The output of a response, built from the deltas of a chat completion. A whole response is built from a single delta, so
 * that it cannot differ from what a stream adds up to.
 *
 * Reasoning and messages end where the next item begins.
 */
import type { ChatDelta, SearchBlock, ToolCallDelta } from '../../../nouns/chat-completion.ts';
import type { ItemStatus, ResponseItem } from '../output-item-schemas.ts';
import type { Toolbox } from '../request/toolbox.ts';
import { CustomCallOutput } from './custom-call-output.ts';
import type { CallOutput, Emit, OutputItem, Place } from './events.ts';
import { FunctionCallOutput } from './function-call-output.ts';
import { MessageOutput } from './message-output.ts';
import { ReasoningOutput } from './reasoning-output.ts';
import { ToolSearchOutput } from './tool-search-output.ts';
import { WebSearchOutput } from './web-search-output.ts';

/** The items of calls, and what their ids begin with. */
const calls = {
  function: { Call: FunctionCallOutput, prefix: 'fc' },
  custom: { Call: CustomCallOutput, prefix: 'ctc' },
  tool_search: { Call: ToolSearchOutput, prefix: 'tsc' },
} as const;

export interface OutputOptions {
  /** Makes the items' ids unique across responses. */
  readonly digits: string;
  readonly includesThoughts: boolean;
  readonly toolbox: Toolbox;
  readonly emit: Emit;
}

export class Output {
  readonly #options: OutputOptions;
  readonly #items: OutputItem[] = [];
  readonly #calls = new Map<number, CallOutput>();
  /** Of all messages so far. */
  #textLength = 0;

  constructor(options: OutputOptions) {
    this.#options = options;
  }

  add(delta: ChatDelta): void {
    const { reasoning_content, thinking_blocks = [], content, refusal, tool_calls = [] } = delta;
    const { search_blocks = [], annotations = [] } = delta;
    if (reasoning_content) this.#reasoning().addText(reasoning_content);
    if (thinking_blocks.length > 0) this.#reasoning().addBlocks(thinking_blocks);
    for (const block of search_blocks) this.#search(block);
    if (content) {
      this.#message().addText(content);
      this.#textLength += content.length;
    }
    for (const annotation of annotations) this.#message().addAnnotation(annotation);
    if (refusal) this.#message().addRefusal(refusal);
    for (const call of tool_calls) this.#call(call).add(call);
  }

  /** If the response was cut off, only its last item can be incomplete. */
  end(status: ItemStatus): ResponseItem[] {
    const last = this.#items.at(-1);
    for (const item of this.#items) item.end(item === last ? status : 'completed');
    return this.show(status);
  }

  show(unended: ItemStatus): ResponseItem[] {
    return this.#items.map((item) => item.show(unended));
  }

  #reasoning(): ReasoningOutput {
    const last = this.#items.at(-1);
    if (last instanceof ReasoningOutput) return last;
    return this.#begin(new ReasoningOutput(this.#nextPlace('rs'), this.#options.includesThoughts));
  }

  #message(): MessageOutput {
    const last = this.#items.at(-1);
    if (last instanceof MessageOutput) return last;
    return this.#begin(new MessageOutput(this.#nextPlace('msg'), this.#textLength));
  }

  #search(block: SearchBlock): void {
    if (block.type === 'server_tool_use') this.#begin(new WebSearchOutput(this.#nextPlace('ws'), block));
    else {
      const search = this.#items.find((item) => item instanceof WebSearchOutput && item.searchId === block.tool_use_id);
      if (search instanceof WebSearchOutput) search.found(block);
    }
  }

  /** The first chunk names the call. Its arguments, if any, are added like those of later chunks. */
  #call(delta: ToolCallDelta): CallOutput {
    const known = this.#calls.get(delta.index);
    if (known !== undefined) return known;
    const tool = this.#options.toolbox.identityOf(delta.function?.name ?? '');
    const { Call, prefix } = calls[tool.kind];
    const place = this.#nextPlace(prefix);
    const call = this.#begin(new Call(place, { callId: delta.id ?? place.id, tool }));
    this.#calls.set(delta.index, call);
    return call;
  }

  /** Ends the previous item, so that its last event comes before the next item's first. */
  #nextPlace(prefix: string): Place {
    const last = this.#items.at(-1);
    if (last !== undefined && !last.staysOpen) last.end('completed');
    const outputIndex = this.#items.length;
    const { digits, emit } = this.#options;
    return { id: `${prefix}_${digits}_${outputIndex}`, outputIndex, emit };
  }

  #begin<Item extends OutputItem>(item: Item): Item {
    this.#items.push(item);
    return item;
  }
}
