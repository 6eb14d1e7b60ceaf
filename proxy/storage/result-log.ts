/**
 * What the lines of a batch have brought, in the order in which it is decided: once a result is in the log, its line has it, and
 * its charge is made, now or by the proxy that takes the batch over. So a line is charged exactly once, whatever dies.
 *
 *   results/<batch id>/taken-<n>      written when a proxy takes the batch, for the nth time: the segments that count until then
 *   results/<batch id>/part-<n>-<m>   the mth segment of the nth proxy
 *
 * A segment of an earlier proxy that is not listed by the next one has come too late: its results do not count, and are not
 * charged. That decides what a proxy may still write which was frozen, and does not know that its batch was taken. Nor does the last
 * segment of a proxy count that has died while it wrote it, if the store has kept a part of it: nothing was charged for it.
 */

import { readLines } from './read-lines.ts';
import { CutObject, type SealedObjects } from './sealed-objects.ts';

/** Beside its output, what is to be done about a line. */
export interface ResultHead {
  /** Its number in the input, from 1. */
  readonly line: number;
  readonly isAnswered: boolean;
  /** A packed decision to charge it; undefined if it is free. */
  readonly charge?: string;
}

export interface Result extends ResultHead {
  /** The line of the output or of the errors. */
  readonly text: string;
}

/** Nothing is known about it any more: it may be in the log, or may not. The next proxy reads it. */
export class LogBroken extends Error {
  override readonly name = 'LogBroken';
}

/** Results wait for each other for so long, or until there is so much of them. */
const gatherMs = 1_000;
const gatheredMaxBytes = 4 * 1024 * 1024;
const gatheredMax = 1_000;
/** Two for each result, of which the response is the largest. */
const lineMaxBytes = 1024 * 1024 * 1024;
const digits = 6;

export class ResultLog {
  readonly #objects: SealedObjects;
  readonly #folder: string;
  /** How many proxies have taken the batch, with this one. */
  readonly term: number;
  /** In their order. */
  readonly #parts: string[];
  #written = 0;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #group = Promise.withResolvers<void>();
  #timer: Timer | undefined;
  #writing: Promise<void> | undefined;
  #isBroken = false;

  /** Takes the batch: from now on no segment of an earlier proxy counts that is not there yet. */
  static async take(objects: SealedObjects, batchId: string): Promise<ResultLog> {
    const folder = `results/${batchId}`;
    const names = (await objects.list(`${folder}/`)).map((name) => name.slice(folder.length + 1));
    const lastTerm = Math.max(0, ...names.map((name) => Number(/^taken-(\d+)$/.exec(name)?.[1] ?? 0)));
    const known = lastTerm === 0 ? '[]' : await objects.readText(`${folder}/taken-${numbered(lastTerm)}`);
    if (known === undefined) throw new Error(`what counts of ${batchId} is missing`);
    const own = names.filter((name) => name.startsWith(`part-${numbered(lastTerm)}-`)).sort();
    // Every other one was stored before the next was begun.
    const last = own.at(-1);
    if (last !== undefined && (await isCut(objects, `${folder}/${last}`))) own.pop();
    const parts = [...(JSON.parse(known) as string[]), ...own];
    await objects.writeText(`${folder}/taken-${numbered(lastTerm + 1)}`, JSON.stringify(parts));
    return new ResultLog(objects, { folder, term: lastTerm + 1, parts });
  }

  private constructor(
    objects: SealedObjects,
    { folder, term, parts }: { readonly folder: string; readonly term: number; readonly parts: string[] },
  ) {
    this.#objects = objects;
    this.#folder = folder;
    this.term = term;
    this.#parts = parts;
  }

  /** All that count, in the order in which they were written. */
  async *read(): AsyncGenerator<Result> {
    for (const part of this.#parts) {
      const content = await this.#objects.read(`${this.#folder}/${part}`);
      if (content === undefined) throw new Error(`${part} of ${this.#folder} is missing`);
      let head: ResultHead | undefined;
      for await (const line of readLines(content, lineMaxBytes)) {
        if (head !== undefined) yield { ...head, text: line };
        head = head === undefined ? (JSON.parse(line) as ResultHead) : undefined;
      }
    }
  }

  /** Resolves once it is durable. Rejects with LogBroken, as every later call does then. */
  append({ text, ...head }: Result): Promise<void> {
    if (this.#isBroken) return Promise.reject(new LogBroken());
    this.#waiting.push(JSON.stringify(head), '\n', text, '\n');
    this.#waitingBytes += text.length;
    this.#timer ??= setTimeout(() => void this.flush(), gatherMs);
    const { promise } = this.#group;
    if (this.#waitingBytes >= gatheredMaxBytes || this.#waiting.length >= 4 * gatheredMax) void this.flush();
    return promise;
  }

  /** Resolves once everything is written that was appended, or the log is broken. */
  flush(): Promise<void> {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const [waiting, group] = [this.#waiting, this.#group];
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#waiting = [];
      this.#waitingBytes = 0;
      this.#group = Promise.withResolvers<void>();
      try {
        if (this.#isBroken) throw new LogBroken();
        const part = `part-${numbered(this.term)}-${numbered(this.#written)}`;
        await this.#objects.writeText(`${this.#folder}/${part}`, waiting.join(''));
        this.#written += 1;
        this.#parts.push(part);
        group.resolve();
      } catch (cause) {
        this.#isBroken = true;
        group.reject(new LogBroken('results could not be stored', { cause }));
      }
    }
  }
}

async function isCut(objects: SealedObjects, name: string): Promise<boolean> {
  try {
    for await (const _ of (await objects.read(name)) ?? []);
    return false;
  } catch (error) {
    if (error instanceof CutObject) return true;
    throw error;
  }
}

/** Names are in the order of numbers. */
export function numbered(number: number): string {
  return String(number).padStart(digits, '0');
}
