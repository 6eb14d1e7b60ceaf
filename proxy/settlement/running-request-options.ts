/** What a request is about when its hold begins. */
import type { NanoUsd } from '../../shared/money.ts';
import type { HeldRequest } from '../../shared/wallet/wallet.ts';
import type { Model } from '../catalogue/catalogue.ts';
import type { Timeline } from '../metrics/timeline.ts';

export interface RunningRequestOptions {
  readonly held: HeldRequest;
  readonly model: Model;
  readonly amountNano: NanoUsd;
  /** Output tokens of one choice. */
  readonly outputCap: number;
  readonly choices: number;
  /** The number of images requested; 0 if none. */
  readonly images?: number;
  /** The prompt tokens that the hold covers. */
  readonly promptTokensMax: number;
  readonly startedAtMs: number;
  readonly timeline: Timeline;
  /** Monotonic, taken before the reserve was sent, so that the hold's deadline is never assumed later than it is. */
  readonly heldAtMs: number;
}
