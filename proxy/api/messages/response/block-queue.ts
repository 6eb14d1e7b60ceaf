/**
 * The content blocks of a streamed message: one open at a time, with ascending indices. A provider may interleave
 * several tool calls; then the later ones wait until the arguments of the open one are complete.
 */
import type { MessageBlock, MessageEvent } from '../message-schemas.ts';
import { isJsonObject } from './tool-input.ts';

type BlockDelta = Extract<MessageEvent, { type: 'content_block_delta' }>['delta'];

/** A part of a block. If it is the first one, `start` opens the block. */
export interface BlockPart {
  /** Parts of the same block have the same key. */
  readonly key: string;
  readonly start: MessageBlock;
  readonly delta?: BlockDelta;
  /** The block ends with this part. */
  readonly last?: boolean;
  /** What this part adds to a tool's arguments. Only tools have it: other blocks end where the next one begins. */
  readonly json?: string;
}

interface Block {
  readonly key: string;
  readonly start: MessageBlock;
  /** What arrived while another block was open. */
  readonly waiting: BlockDelta[];
  json: string | undefined;
  ended: boolean;
}

export class BlockQueue {
  /** The first is open. */
  readonly #blocks: Block[] = [];
  readonly #closedTools = new Set<string>();
  #index = 0;

  /** Returns the events that can be sent now. */
  add(part: BlockPart): string {
    // Nothing but white space can follow complete arguments.
    if (this.#closedTools.has(part.key)) return '';
    let events = '';
    let block = this.#find(part);
    if (block === undefined) {
      block = { key: part.key, start: part.start, waiting: [], json: part.json, ended: false };
      this.#blocks.push(block);
      if (this.#blocks.length === 1) events += this.#open(block);
    } else if (block.json !== undefined) {
      block.json += part.json ?? '';
    }
    if (part.delta !== undefined) {
      if (block === this.#blocks[0]) events += this.#renderDelta(part.delta);
      else block.waiting.push(part.delta);
    }
    if (part.last === true) block.ended = true;
    return events + this.#advance();
  }

  /** Ends the latest block if it has this key: what follows is another one. */
  end(key: string): void {
    const latest = this.#blocks.at(-1);
    if (latest?.key === key) latest.ended = true;
  }

  /** Called when no more parts follow. */
  closeAll(): string {
    let events = '';
    while (this.#blocks.length > 0) events += this.#close();
    return events;
  }

  /** A tool's arguments may continue at any time; text and thinking only until another block begins. */
  #find({ key, json }: BlockPart): Block | undefined {
    if (json !== undefined) return this.#blocks.find((block) => block.key === key);
    const latest = this.#blocks.at(-1);
    return latest?.key === key && !latest.ended ? latest : undefined;
  }

  #advance(): string {
    let events = '';
    while (this.#blocks.length > 1 && isComplete(this.#blocks[0])) events += this.#close();
    return events;
  }

  /** Closes the open block and opens the next one waiting. */
  #close(): string {
    const closed = this.#blocks.shift();
    if (closed?.json !== undefined) this.#closedTools.add(closed.key);
    const stop = renderEvent({ type: 'content_block_stop', index: this.#index });
    this.#index += 1;
    const [next] = this.#blocks;
    return next === undefined ? stop : stop + this.#open(next);
  }

  #open(block: Block): string {
    const start = renderEvent({ type: 'content_block_start', index: this.#index, content_block: block.start });
    return start + block.waiting.map((delta) => this.#renderDelta(delta)).join('');
  }

  #renderDelta(delta: BlockDelta): string {
    return renderEvent({ type: 'content_block_delta', index: this.#index, delta });
  }
}

function isComplete(block: Block | undefined): boolean {
  return block?.json === undefined || isJsonObject(block.json.trim());
}

/** Each event is named after the `type` of its data. */
export function renderEvent(event: MessageEvent): string {
  return renderEventText(event.type, JSON.stringify(event));
}

/** `json` is the data, as text. */
export function renderEventText(type: MessageEvent['type'], json: string): string {
  return `event: ${type}\ndata: ${json}\n\n`;
}
