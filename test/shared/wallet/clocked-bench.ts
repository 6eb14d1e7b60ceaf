/** Wallets under a clock that a test sets, and the requests of one account that a test starts and ends. */
import { expect } from 'bun:test';
import { nanoUsd } from '../../../shared/money.ts';
import type { ReserveRefusal } from '../../../shared/wallet/reserve-reply.ts';
import { type ReserveRequest, type Settled, Wallet } from '../../../shared/wallet/wallet.ts';
import { WalletKeeper } from '../../../shared/wallet/wallet-keeper.ts';
import { loadWalletScripts } from '../../../shared/wallet/wallet-scripts.ts';
import { underClock } from '../../harness/wallet/script-clock.ts';
import {
  heldBy,
  reserveRequestOf,
  startWalletBench,
  type TestAccount,
  type WalletBench,
} from '../../harness/wallet/wallet-bench.ts';

const clockKey = 'test:clock';
export const dayMs = 86_400_000;
/** 2026-11-30, half past eleven at night. */
export const lateNovemberMs = Date.UTC(2026, 10, 30, 23, 30);

export interface ClockedBench {
  readonly bench: WalletBench;
  readonly wallet: Wallet;
  readonly keeper: WalletKeeper;
  setClock(nowMs: number): Promise<unknown>;
  now(): Promise<Date>;
  /** Reserves, and returns the reason if the reserve is refused. */
  begin(
    account: TestAccount,
    change?: Partial<ReserveRequest>,
  ): Promise<{ requestId: string; reason: string; result: Awaited<ReturnType<Wallet['reserve']>> }>;
  settle(account: TestAccount, requestId: string, costNano?: bigint, tokens?: number): Promise<Settled>;
}

export async function startClockedBench(): Promise<ClockedBench> {
  const bench = await startWalletBench();
  const scripts = loadWalletScripts(underClock(clockKey));
  const wallet = new Wallet(bench.redis, scripts);
  const setClock = (nowMs: number) => bench.redis.set(clockKey, String(nowMs));
  await setClock(lateNovemberMs);
  return {
    bench,
    wallet,
    keeper: new WalletKeeper(bench.redis, scripts),
    setClock,
    now: async () => new Date(Number(await bench.redis.get(clockKey))),
    begin: async (account, change = {}) => {
      const request = reserveRequestOf(account, change);
      const result = await wallet.reserve(request);
      return { requestId: request.requestId, result, reason: result.ok ? 'ok' : result.reason };
    },
    settle: (account, requestId, costNano = 1n, tokens = 0) =>
      wallet.settle(heldBy(account, requestId), { costNano: nanoUsd(costNano), detail: '{}', tokens }),
  };
}

export function limited(result: { readonly ok: boolean }): Extract<ReserveRefusal, { reason: 'limited' }> {
  expect(result).toMatchObject({ ok: false, reason: 'limited' });
  return result as Extract<ReserveRefusal, { reason: 'limited' }>;
}
