/**
 * In which order the lines of a batch are begun: those first that a provider already has, since they wait for nothing else, then the
 * others as they are in the input. Lines of a model of which enough are postponed are left out, and the input is read again for them
 * once there is room. So is it after a read that has failed.
 */
import { monotonicMs } from '../../shared/durations.ts';
import { type InputFormat, type InputLine, readInput } from './input-lines.ts';

/** After a read that has failed. */
const retryMs = 5_000;

interface LineReaderOptions {
  readonly format: InputFormat;
  readonly isAnyAtProvider: boolean;
  open(): Promise<AsyncIterable<Uint8Array>>;
  /** By number. */
  isDone(line: number): boolean;
  isAtProvider(line: number): boolean;
  hasRoomFor(model: string): boolean;
  /** Whether no lines are begun any more but those that a provider has. */
  isStopped(): boolean;
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

export class LineReader {
  readonly #options: LineReaderOptions;
  readonly #begun = new Set<number>();
  #lines: AsyncGenerator<InputLine> | undefined;
  #isOfProvider: boolean;
  /** By model, how many lines were left out since the input was opened. */
  #leftOut = new Map<string, number>();
  /** By model, how many lines have yet to be begun; undefined until the input has been read to its end. */
  #left: Map<string, number> | undefined;
  readonly #now: () => number;
  #readsAtMs = 0;

  constructor(options: LineReaderOptions) {
    this.#options = options;
    this.#now = options.now ?? monotonicMs;
    this.#isOfProvider = options.isAnyAtProvider;
  }

  /** All lines have been begun that may be. */
  get isAtEnd(): boolean {
    return this.#left?.size === 0 || (!this.#isOfProvider && this.#options.isStopped());
  }

  /** Undefined if none may be begun now. Rejects if the input cannot be read; it is read again a few seconds later. */
  async next(): Promise<InputLine | undefined> {
    while (this.#mayRead) {
      const line = await this.#readOn();
      if (line === undefined) this.#endPass();
      else if (this.#isOfProvider || this.#options.hasRoomFor(line.model)) return this.#begin(line);
      else this.#leftOut.set(line.model, (this.#leftOut.get(line.model) ?? 0) + 1);
    }
    return undefined;
  }

  async close(): Promise<void> {
    await this.#lines?.return(undefined);
  }

  get #mayRead(): boolean {
    if (this.isAtEnd || this.#now() < this.#readsAtMs) return false;
    return this.#left === undefined || this.#left.keys().some((model) => this.#options.hasRoomFor(model));
  }

  async #readOn(): Promise<InputLine | undefined> {
    const { open, format } = this.#options;
    this.#lines ??= readInput(open, format, (number) => this.#isWanted(number));
    try {
      const { value, done } = await this.#lines.next();
      return done ? undefined : value;
    } catch (error) {
      this.#lines = undefined;
      this.#leftOut.clear();
      this.#readsAtMs = this.#now() + retryMs;
      throw error;
    }
  }

  #isWanted(number: number): boolean {
    const { isDone, isAtProvider } = this.#options;
    return !this.#begun.has(number) && !isDone(number) && (!this.#isOfProvider || isAtProvider(number));
  }

  #begin(line: InputLine): InputLine {
    this.#begun.add(line.number);
    const left = this.#left?.get(line.model) ?? 0;
    if (left > 1) this.#left?.set(line.model, left - 1);
    else this.#left?.delete(line.model);
    return line;
  }

  #endPass(): void {
    this.#lines = undefined;
    if (!this.#isOfProvider) this.#left = this.#leftOut;
    this.#isOfProvider = false;
    this.#leftOut = new Map();
  }
}
