/** Which accounts have met a deployment's 429 of late: one alone may have provoked it, several have not. */

const accountsMin = 3;
const withinMs = 10_000;

export class LimitedAccounts {
  /** Of each account the latest; the oldest first. */
  #met: readonly { readonly accountId: number; readonly atMs: number }[] = [];

  /** Whether several accounts have met one within seconds, this one included. */
  areSeveral(accountId: number, nowMs: number): boolean {
    const others = this.#met.filter((met) => met.accountId !== accountId && nowMs - met.atMs < withinMs);
    this.#met = [...others.slice(1 - accountsMin), { accountId, atMs: nowMs }];
    return this.#met.length >= accountsMin;
  }
}
