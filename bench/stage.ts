/** What every scenario is given: who takes part, what stands behind them, and how long each measurement may take. */
import type { Contender } from './contenders/contender.ts';
import type { GatewayStores } from './contenders/gateway-stores.ts';
import type { LoadGenerator } from './load/load-generator.ts';

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
