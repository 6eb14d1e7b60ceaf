/** Waits until the world is at rest and correct, or returns what is not. */
import type { Attempt } from '../load/attempt.ts';
import type { World } from '../world/world.ts';
import { verifyBudgets } from './budgets.ts';
import { auditBooks } from './ledger.ts';
import { agePayments, verifyPayments } from './payments.ts';
import { expireAll, findUnsettled } from './rest.ts';
import { type Verdict, verify } from './verify.ts';

const pollMs = 100;
/** Admins look for payments that are due every second, and need a moment to query them. */
const askEveryMs = 3_000;

/** Charges may still be on their way when the load ends, so violations count only at the deadline. */
export async function settleAndVerify(
  world: World,
  attempts: readonly Attempt[],
  options: { timeoutMs: number; agesHolds: boolean },
): Promise<Verdict> {
  const until = Date.now() + options.timeoutMs;
  for (let askAtMs = 0; ; ) {
    if (Date.now() >= askAtMs) {
      await agePayments(world);
      askAtMs = Date.now() + askEveryMs;
    }
    if (options.agesHolds) await expireAll(world);
    const unsettled = await findUnsettled(world);
    if (unsettled.length === 0 || Date.now() > until) {
      const verdict = await verify(world, attempts);
      const violations = [
        ...unsettled,
        ...verdict.violations,
        ...(await verifyPayments(world)),
        ...(await verifyBudgets(world, attempts)),
      ];
      if (violations.length === 0 || Date.now() > until) violations.push(...(await auditBooks(world)));
      if (violations.length === 0 || Date.now() > until) return { ...verdict, violations };
    }
    await Bun.sleep(pollMs);
  }
}
