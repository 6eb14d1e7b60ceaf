/** One request from its client's view. */
import type { NanoUsd } from '../../../shared/money.ts';
import type { Customer } from '../../harness/customers.ts';
import type { Replica } from '../world/replicas.ts';
import type { Plan } from './plan.ts';

/**
 * `complete`: the whole response. `refused`: any status other than 200. `error_event`: a stream reported its error.
 * `broken`: the connection broke, before or after the headers. `left`: the client hung up.
 */
export type Ending = 'complete' | 'refused' | 'error_event' | 'broken' | 'left';

export interface ClientView {
  readonly ending: Ending;
  readonly status: number | undefined;
  readonly code: string | undefined;
  /** Undefined if not even the headers arrived. */
  readonly requestId: string | undefined;
  /** Until the headers of the response, or the failure. */
  readonly waitedMs: number;
  readonly receivedTokens: number;
  /** The cost that the client was given. */
  readonly reportedNano: NanoUsd | undefined;
}

export interface Attempt {
  readonly plan: Plan;
  readonly customer: Customer;
  readonly replica: Pick<Replica, 'killedAtMs'>;
  /** The latest fault injected before it began. */
  readonly fault: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly view: ClientView;
}
