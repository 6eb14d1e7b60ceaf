/** The input of every scenario: the contenders, their stores, and how long each measurement takes. */
import type { Contender } from '../contenders/contender.ts';
import type { GatewayStores } from '../contenders/gateway-stores.ts';
import type { LoadGenerator } from '../load/load-generator.ts';

export interface Stage {
  readonly contenders: readonly Contender[];
  readonly upstreamPort: number;
  readonly upstreamPid: number;
  readonly load: LoadGenerator;
  readonly stores: GatewayStores;
  readonly rounds: number;
  readonly seconds: number;
  /** True for a smoke run: less of everything. */
  readonly quick: boolean;
  say(text: string): void;
}
