/**
 * Lines of a batch that wait to be tried again, each with a pause that grows. There are only so many of one model, so that one that is
 * away does not keep lines of others from being run, and only so many and so large ones of all models, which bounds the memory.
 */

import { backoffMs, monotonicMs } from '../../shared/durations.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import type { InputLine } from './input-lines.ts';

const pauses = { firstMs: 2_000, mostMs: 10 * 60_000 } as const;
/** A model that has had the most has room again once there are at most `few`, or the input would be read again for every single line. */
const ofModel = { few: 32, most: 64 } as const;
/** `length` is in characters. */
const ofAll = { lines: 512, length: 32 * 1024 * 1024 } as const;

export interface TriedLine {
  readonly line: InputLine;
  /** With which error each attempt has ended. */
  readonly failures: readonly ErrorCode[];
}

interface Waiting extends TriedLine {
  readonly dueAtMs: number;
}

export class PostponedLines {
  readonly #now: () => number;
  #waiting: Waiting[] = [];
  #length = 0;
  readonly #counts = new Map<string, number>();
  readonly #fullModels = new Set<string>();

  /** `now` is a monotonic clock, in milliseconds. */
  constructor(now = monotonicMs) {
    this.#now = now;
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** Whether no line of any model should be begun that may have to wait too. */
  get isFull(): boolean {
    return this.#waiting.length >= ofAll.lines || this.#length >= ofAll.length;
  }

  hasRoomFor(model: string): boolean {
    return !this.#fullModels.has(model);
  }

  /** Those that were being tried are added even if there is no room. */
  add(tried: TriedLine, retryAfterMs: number): void {
    const pauseMs = Math.max(retryAfterMs, backoffMs(pauses, tried.failures.length, Math.random()));
    this.#waiting.push({ ...tried, dueAtMs: this.#now() + pauseMs });
    this.#count(tried.line, 1);
  }

  /** Undefined if none is due. */
  takeDue(): TriedLine | undefined {
    const nowMs = this.#now();
    const place = this.#waiting.findIndex(({ dueAtMs }) => dueAtMs <= nowMs);
    const [due] = place < 0 ? [] : this.#waiting.splice(place, 1);
    if (due !== undefined) this.#count(due.line, -1);
    return due;
  }

  /** Those that are not kept are never tried again here. */
  keepOnly(isKept: (line: InputLine) => boolean): void {
    const dropped = this.#waiting.filter(({ line }) => !isKept(line));
    this.#waiting = this.#waiting.filter(({ line }) => isKept(line));
    for (const { line } of dropped) this.#count(line, -1);
  }

  #count({ model, body }: InputLine, difference: 1 | -1): void {
    this.#length += difference * body.length;
    const count = (this.#counts.get(model) ?? 0) + difference;
    if (count === 0) this.#counts.delete(model);
    else this.#counts.set(model, count);
    if (count >= ofModel.most) this.#fullModels.add(model);
    else if (count <= ofModel.few) this.#fullModels.delete(model);
  }
}
