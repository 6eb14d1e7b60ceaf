/** One request as its client has seen it. */
import type { NanoUsd } from '../../shared/money.ts';
import type { Customer } from '../harness/customers.ts';
import type { Plan } from './plan.ts';
import type { Replica } from './replicas.ts';

/**
 * `complete`: the whole answer. `refused`: any other status than 200. `error_event`: a stream told its error.
 * `broken`: the connection broke, before or after the headers. `left`: the client hung up.
 */
export type Ending = 'complete' | 'refused' | 'error_event' | 'broken' | 'left';

export interface ClientView {
  readonly ending: Ending;
  readonly status: number | undefined;
  readonly code: string | undefined;
  /** Undefined if not even the headers came. */
  readonly requestId: string | undefined;
  readonly receivedTokens: number;
  /** What the client was told that it costs. */
  readonly toldNano: NanoUsd | undefined;
}

export interface Attempt {
  readonly plan: Plan;
  readonly customer: Customer;
  readonly replica: Replica;
  /** The fault that was injected last when it began. */
  readonly fault: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly view: ClientView;
}
