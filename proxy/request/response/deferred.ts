/**
 * A request that no client waits for, such as a line of a batch. It counts towards no rate limit, has a hold of its own, and its
 * response is written down, together with its charge, before it is charged: a process that reads that can make the charge again,
 * which changes nothing if it was made.
 */
import type { Deployment } from '../../pricing/catalogue.ts';
import type { Settle } from '../settlement/decision.ts';
import type { ProviderClient } from '../upstream/provider-client.ts';

export interface Deferred {
  /**
   * Resolves once the response will be delivered: then it is charged. If it rejects with NotKept, it may be delivered or not, and
   * the process that finds out charges it or does not.
   */
  keep(response: KeptResponse): Promise<void>;
  /** It is being charged. Resolves with true once Redis has confirmed that; with anything else, it will later. */
  charging(confirmed: Promise<unknown>): void;
  /** Undefined if it is sent on its own. The deployments are in the order in which they would be tried. */
  batchedAt?(deployments: readonly Deployment[]): Batched | undefined;
}

/** The request is sent together with others, as a batch that its provider runs when it has time. */
export interface Batched {
  readonly deployment: Deployment;
  readonly client: Pick<ProviderClient, 'post'>;
  /** How long its response may take. */
  readonly patienceMs: number;
}

export interface KeptResponse {
  /** JSON. */
  readonly text: string;
  readonly charge: Settle;
}

/** The request ends without a decision. Its hold expires, and an expired hold without output costs nothing. */
export class NotKept extends Error {
  override readonly name = 'NotKept';
}
