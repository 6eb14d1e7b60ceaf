/** A replay buffer whose Redis stays what it was, for tests that are not about another one. */
import { RequestMetrics } from '../../../proxy/request/metrics/request-metrics.ts';
import { ReplayBuffer } from '../../../proxy/request/settlement/replay-buffer.ts';
import { createLog } from '../../../shared/log.ts';
import type { Wallet } from '../../../shared/wallet/wallet.ts';

type Options = Partial<ConstructorParameters<typeof ReplayBuffer>[0]>;

export function replayBufferOf(wallet: Wallet, options: Options = {}): ReplayBuffer {
  const log = createLog({ program: 'test', level: 'silent' });
  return new ReplayBuffer({ log, metrics: new RequestMetrics(), isUnchanged: async () => true, wallet, ...options });
}
