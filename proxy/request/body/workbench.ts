/**
 * Where large bodies are decoded, parsed, checked and rewritten: one at a time, so that the copies of one are gone before
 * those of the next are made, and each step in a turn of the event loop of its own, so that other requests and streams
 * go on in between. What is going to be sent comes first, because then its copies are no longer needed.
 */
import { nextTurn } from '../../../shared/next-turn.ts';

export class Workbench {
  #isTaken = false;
  readonly #sending: (() => void)[] = [];
  readonly #reading: (() => void)[] = [];

  /** Rejects with what `work` throws. */
  async run<Result>(purpose: 'read' | 'send', work: () => Promise<Result>): Promise<Result> {
    if (this.#isTaken) {
      await new Promise<void>((resolve) => void (purpose === 'send' ? this.#sending : this.#reading).push(resolve));
    }
    this.#isTaken = true;
    try {
      await nextTurn();
      return await work();
    } finally {
      await nextTurn();
      const next = this.#sending.shift() ?? this.#reading.shift();
      if (next === undefined) this.#isTaken = false;
      else next();
    }
  }
}
