/**
 * How many whole responses are read to their end at once although their clients have left. Each keeps a connection to its
 * provider and the request's body, which the client's own connections no longer limit.
 */

/** Of one account, and of all together. */
export const abandonedResponsesMax = { account: 16, proxy: 512 } as const;

export class AbandonedResponses {
  readonly #byAccount = new Map<number, number>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns false if there are too many. Otherwise a place is taken, until `release`. */
  acquire(accountId: number): boolean {
    const ofAccount = this.#byAccount.get(accountId) ?? 0;
    if (this.#size >= abandonedResponsesMax.proxy || ofAccount >= abandonedResponsesMax.account) return false;
    this.#size += 1;
    this.#byAccount.set(accountId, ofAccount + 1);
    return true;
  }

  release(accountId: number): void {
    const ofAccount = this.#byAccount.get(accountId) ?? 0;
    this.#size -= 1;
    if (ofAccount > 1) this.#byAccount.set(accountId, ofAccount - 1);
    else this.#byAccount.delete(accountId);
  }
}
