/** A queue for many thousands of items: removing the first item of an array moves all others. */
export class Queue<T> {
  #items: T[] = [];
  #first = 0;

  add(item: T): void {
    this.#items.push(item);
  }

  take(): T | undefined {
    const item = this.#items[this.#first];
    if (this.#first < this.#items.length) this.#first += 1;
    if (this.#first === this.#items.length) {
      this.#items = [];
      this.#first = 0;
    }
    return item;
  }
}
