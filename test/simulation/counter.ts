/** Counts things by name. */
export class Counter {
  readonly counts = new Map<string, number>();

  count(name: string, times = 1): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + times);
  }

  addAll(other: Counter): void {
    for (const [name, times] of other.counts) this.count(name, times);
  }
}
