/** Which accounts recently got a 429 from a deployment. A single account may have provoked it; several have not. */

const accountsMin = 3;
const withinMs = 10_000;

export class LimitedAccounts {
  /** The latest one of each account, oldest first. */
  #limited: readonly { readonly accountId: number; readonly atMs: number }[] = [];

  /** Records this one, and returns whether several accounts got one within seconds. */
  areSeveral(accountId: number, nowMs: number): boolean {
    const others = this.#limited.filter((one) => one.accountId !== accountId && nowMs - one.atMs < withinMs);
    this.#limited = [...others.slice(1 - accountsMin), { accountId, atMs: nowMs }];
    return this.#limited.length >= accountsMin;
  }
}
