/** Random numbers from a seed, so that a run or a schedule of faults can be repeated. */

export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, below 1 (mulberry32, a public-domain generator by Tommy Ettinger). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `from` through `through`. */
  integer(from: number, through: number): number {
    return from + Math.floor(this.next() * (through - from + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Undefined if there is nothing to pick from. */
  pickIfAny<Item>(items: readonly Item[]): Item | undefined {
    return items[this.integer(0, items.length - 1)];
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = this.pickIfAny(items);
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }

  /** All of them once, in a random order. */
  shuffle<Item>(items: readonly Item[]): Item[] {
    return items
      .map((item) => ({ item, order: this.next() }))
      .sort((one, other) => one.order - other.order)
      .map(({ item }) => item);
  }

  /** Names are picked in proportion to their weights. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries(weights) as [Name, number][];
    let rest = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      rest -= weight;
      if (rest < 0) return name;
    }
    throw new Error('no weights');
  }
}
