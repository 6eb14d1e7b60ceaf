/**
 * What a failed attempt says about the deployment. A request must not be able to take a deployment away from other
 * customers, so client errors and unreadable responses do not count against it.
 */
import type { UpstreamFailure } from '../../../nouns/upstream-failure.ts';

/**
 * `alive`: it works. `failed`: it is broken. `locked_out`: it does not accept our key or account. `exhausted`: its
 * quota is used up for everyone. `limited`: it needs a pause if other accounts are limited too. `neutral`: none of
 * these.
 */
type Verdict = 'alive' | 'failed' | 'locked_out' | 'exhausted' | 'limited' | 'neutral';

export function verdictOn({ reason, status, limit }: UpstreamFailure): Verdict {
  if (reason === 'rejected') return 'alive';
  if (reason === 'malformed' || reason === 'oversized') return 'neutral';
  if (reason !== 'refused') return 'failed';
  if (limit === 'quota') return 'exhausted';
  if (status === 429) return limit === 'request' ? 'neutral' : 'limited';
  if (status === 401 || status === 402 || status === 403) return 'locked_out';
  return status === 408 || (status !== undefined && status >= 500) ? 'failed' : 'neutral';
}

const accountsMin = 3;
const withinMs = 10_000;

/** Which accounts recently got a 429 from a deployment. A single account may have provoked it; several have not. */
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
