/**
 * What a failed attempt says about the deployment. What a request can provoke by itself must not take a deployment
 * away from everybody, so the client's own faults and unreadable answers say nothing against it.
 */
import type { UpstreamFailure } from '../upstream-failure.ts';

/**
 * `alive`: it works. `failed`: it is broken. `locked_out`: it does not accept our key or our account. `exhausted`: it has
 * nothing left for anybody. `limited`: it wants a pause, if others are told so as well. `unjudged`: none of these.
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
