/** Retries what has to happen between two changes of a wallet, under traffic too. */
const patienceMs = 15_000;
/** Of random length, so that the attempts do not keep step with the traffic. */
const pauseMsMax = 10;

/** Resolves with the first result that is not `moved`. Throws if the wallet has kept changing. */
export async function whileMoving<Result>(
  accountId: number,
  attempt: () => Promise<Result | 'moved'>,
): Promise<Result> {
  const until = performance.now() + patienceMs;
  do {
    const result = await attempt();
    if (result !== 'moved') return result;
    await Bun.sleep(Math.random() * pauseMsMax);
  } while (performance.now() < until);
  throw new Error(
    `account ${accountId}: its wallet has changed during each attempt for ${patienceMs / 1_000} s; try again`,
  );
}
