/**
 * What a failed attempt says about the deployment. A request must not be able to take a deployment away from other
 * customers, so client errors and unreadable answers do not count against it.
 */
import type { UpstreamFailure } from '../upstream-failure.ts';

/**
 * `alive`: it works. `failed`: it is broken. `locked_out`: it does not accept our key or account. `exhausted`: its
 * quota is used up for everyone. `limited`: it needs a pause if other accounts are limited too. `unjudged`: none of
 * these.
 */
export type Verdict = 'alive' | 'failed' | 'locked_out' | 'exhausted' | 'limited' | 'unjudged';

export function verdictOn({ reason, status, limit }: UpstreamFailure): Verdict {
  if (reason === 'rejected') return 'alive';
  if (reason === 'malformed' || reason === 'oversized') return 'unjudged';
  if (reason !== 'refused') return 'failed';
  if (limit === 'quota') return 'exhausted';
  if (status === 429) return limit === 'request' ? 'unjudged' : 'limited';
  if (status === 401 || status === 402 || status === 403) return 'locked_out';
  return status === 408 || (status !== undefined && status >= 500) ? 'failed' : 'unjudged';
}
