/** What a request is about when its hold begins, and what it shares with all others. */
import type { NanoUsd } from '../../../shared/money.ts';
import type { ChargeDetail } from '../../../shared/usage/charge-detail.ts';
import type { HeldRequest, Wallet } from '../../../shared/wallet/wallet.ts';
import type { Usage } from '../../nouns/usage.ts';
import type { Bill } from '../../pricing/bill.ts';
import type { Model } from '../../pricing/catalogue.ts';
import type { OutputSpeeds } from '../../pricing/output-speed.ts';
import type { Lease } from '../leases/lease.ts';
import type { Timeline } from '../metrics/timeline.ts';
import type { AbandonedResponses } from '../response/abandoned-responses.ts';
import type { ReplayBuffer } from './replay-buffer.ts';

/** Shared by all requests. */
export interface RunningServices<Request> {
  readonly wallet: Wallet;
  readonly replayBuffer: ReplayBuffer;
  readonly abandoned: AbandonedResponses;
  readonly speeds: OutputSpeeds;
  /** `bill` is what is charged, if anything. */
  onEnd(request: Request, bill: Bill | undefined): void;
}

export interface RunningRequestOptions {
  readonly held: HeldRequest;
  /** That the hold is for. */
  readonly model: Model;
  readonly amountNano: NanoUsd;
  /** Output tokens of one choice. */
  readonly outputCap: number;
  readonly choices: number;
  /** Its response is streamed, so the output that has been generated is known. */
  readonly isStream?: boolean;
  /** What the request itself says how many it wants of, such as images. */
  readonly wanted?: Usage;
  /** The prompt tokens that the hold covers. */
  readonly promptTokensMax: number;
  readonly startedAtMs: number;
  /** What its charge is attributed to; null if it says nothing that its organization asks for. */
  readonly dimensions: ChargeDetail['dimensions'];
  readonly timeline: Timeline;
  /** Monotonic, taken before the reserve was sent, so that the hold's deadline is never assumed later than it is. */
  readonly heldAtMs: number;
  /** Instead of a hold of its own, it has a part of this lease, and counts as so many tokens until the number is known. */
  readonly leased?: { readonly lease: Lease; readonly tokens: number } | undefined;
}
