/** The time of a simulation, in microseconds, and what is due in it. Of two things at the same time the earlier one wins. */

interface Due {
  readonly atUs: number;
  readonly order: number;
  readonly act: () => void;
}

export class Clock {
  nowUs = 0;
  /** A binary heap: each one is due no later than its two children, at 2n + 1 and 2n + 2. */
  readonly #heap: Due[] = [];
  #orders = 0;

  after(us: number, act: () => void): void {
    this.#orders += 1;
    this.#heap.push({ atUs: this.nowUs + us, order: this.#orders, act });
    this.#rise(this.#heap.length - 1);
  }

  runUntil(endUs: number): void {
    for (let next = this.#heap[0]; next !== undefined && next.atUs <= endUs; next = this.#heap[0]) {
      this.#takeFirst();
      this.nowUs = next.atUs;
      next.act();
    }
    this.nowUs = endUs;
  }

  #takeFirst(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#sink(0);
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(from: number): void {
    for (let at = from; ; ) {
      let first = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < this.#heap.length && this.#isBefore(child, first)) first = child;
      }
      if (first === at) return;
      this.#swap(at, first);
      at = first;
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a === undefined || b === undefined) return false;
    return a.atUs < b.atUs || (a.atUs === b.atUs && a.order < b.order);
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a === undefined || b === undefined) return;
    this.#heap[one] = b;
    this.#heap[other] = a;
  }
}
