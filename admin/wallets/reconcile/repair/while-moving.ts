/** Retries what has to happen between two changes of a wallet, under traffic too. */
const usualPatienceMs = 15_000;
/** Of random length, so that the attempts do not keep step with the traffic. */
const pauseMsMax = 10;

export interface Moving {
  readonly accountId: number;
  readonly patienceMs?: number;
}

/** The wallet has changed during each attempt. */
export class WalletMovedError extends Error {
  override readonly name = 'WalletMovedError';

  constructor(accountId: number, patienceMs: number) {
    super(`account ${accountId}: its wallet has changed during each attempt for ${patienceMs / 1_000} s; try again`);
  }
}

/** Resolves with the first result that is not `moved`. Throws WalletMovedError. */
export async function whileMoving<Result>(
  { accountId, patienceMs = usualPatienceMs }: Moving,
  attempt: () => Promise<Result | 'moved'>,
): Promise<Result> {
  const until = performance.now() + patienceMs;
  do {
    const result = await attempt();
    if (result !== 'moved') return result;
    await Bun.sleep(Math.random() * pauseMsMax);
  } while (performance.now() < until);
  throw new WalletMovedError(accountId, patienceMs);
}
