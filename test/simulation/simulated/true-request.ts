/** What really happened with a request of the simulation. */
import type { RunningRequest } from '../../../proxy/request/settlement/running-request.ts';

export const tokenNano = 10n;

/** The proxy that carries a request out. */
export interface RequestOwner {
  readonly connection: { readonly cutOff: boolean };
}

/** The truth against which the books are held. */
export interface TrueRequest {
  readonly requestId: string;
  readonly accountId: number;
  readonly keyId: number;
  readonly proxy: RequestOwner;
  readonly capTokens: number;
  /** The provider does not respect the cap. */
  readonly overruns: boolean;
  deliveredTokens: number;
  /** What the last renewal that got through has stored. */
  renewedTokens: number;
  /**
   * What Redis has charged, if it was called once and replied; a call that went astray may still arrive elsewhere,
   * and a draw does not say what it has charged.
   */
  confirmedNano: bigint | undefined;
  settlesAstray: number;
  state: 'running' | 'settled' | 'released' | 'refused' | 'abandoned';
  running: RunningRequest | undefined;
}
