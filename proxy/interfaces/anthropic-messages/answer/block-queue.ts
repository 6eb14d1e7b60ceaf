/**
 * The content blocks of a streamed message, one open at a time, their indices rising. A provider may write several tool
 * calls by turns; then the later ones wait until the arguments of the open one are whole.
 */
import type { MessageBlock, MessageEvent } from '../../../endpoints/messages/message-schemas.ts';
import { renderEvent } from './render-event.ts';
import { isJsonObject } from './tool-input.ts';

type BlockDelta = Extract<MessageEvent, { type: 'content_block_delta' }>['delta'];

/** A piece of a block. `start` opens the block where it is its first one. */
export interface Piece {
  /** Pieces of the same block have the same key. */
  readonly key: string;
  readonly start: MessageBlock;
  readonly delta?: BlockDelta;
  /** The block ends with this piece. */
  readonly last?: boolean;
  /** What this piece adds to a tool's arguments. Whatever is no tool ends where something else begins. */
  readonly json?: string;
}

interface Block {
  readonly key: string;
  readonly start: MessageBlock;
  /** What comes while another block is open. */
  readonly waiting: BlockDelta[];
  json: string | undefined;
  ended: boolean;
}

export class BlockQueue {
  /** The first is open. */
  readonly #blocks: Block[] = [];
  readonly #closedTools = new Set<string>();
  #index = 0;

  /** Returns the events that can be given out now. */
  add(piece: Piece): string {
    // Behind whole arguments nothing but white space can follow.
    if (this.#closedTools.has(piece.key)) return '';
    let events = '';
    let block = this.#find(piece);
    if (block === undefined) {
      block = { key: piece.key, start: piece.start, waiting: [], json: piece.json, ended: false };
      this.#blocks.push(block);
      if (this.#blocks.length === 1) events += this.#open(block);
    } else if (block.json !== undefined) {
      block.json += piece.json ?? '';
    }
    if (piece.delta !== undefined) {
      if (block === this.#blocks[0]) events += this.#renderDelta(piece.delta);
      else block.waiting.push(piece.delta);
    }
    if (piece.last === true) block.ended = true;
    return events + this.#advance();
  }

  /** Nothing more is to come. */
  closeAll(): string {
    let events = '';
    while (this.#blocks.length > 0) events += this.#close();
    return events;
  }

  /** A tool's arguments may go on at any time; a text or thought only while nothing else has come. */
  #find({ key, json }: Piece): Block | undefined {
    if (json !== undefined) return this.#blocks.find((block) => block.key === key);
    const latest = this.#blocks.at(-1);
    return latest?.key === key && !latest.ended ? latest : undefined;
  }

  #advance(): string {
    let events = '';
    while (this.#blocks.length > 1 && isWhole(this.#blocks[0])) events += this.#close();
    return events;
  }

  /** Closes the open block, and opens the one that waits behind it. */
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

function isWhole(block: Block | undefined): boolean {
  return block?.json === undefined || isJsonObject(block.json.trim());
}
