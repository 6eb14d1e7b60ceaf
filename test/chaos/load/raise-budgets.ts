/**
 * Raises the budgets that customers run into, while everything fails, by less than they try to spend in the meantime. Nobody lowers
 * one, so no period is above its last amount.
 */
import { formatUsd, nanoUsd, parseUsd } from '../../../shared/money.ts';
import type { BudgetedCustomer } from '../world/budgeted.ts';
import type { World } from '../world/world.ts';
import { askAdmin } from './admin-call.ts';

const pauseMs = 1_000;
const raiseNano = parseUsd('0.00006');

/** Returns what stops it, which resolves when the last call has its response. */
export function startRaising(world: World): () => Promise<void> {
  const stopping = Promise.withResolvers<void>();
  let stopped = false;
  const run = async (customer: BudgetedCustomer) => {
    for (let times = 0; !stopped; times += 1) {
      await Promise.race([Bun.sleep(pauseMs), stopping.promise]);
      const token = await world.sessions.tokenOf(customer);
      const { alive } = world.admins;
      const admin = alive[times % alive.length];
      if (admin === undefined) continue;
      customer.raised.amountNano = nanoUsd(customer.raised.amountNano + raiseNano);
      const body = { amount: formatUsd(customer.raised.amountNano) };
      const { status } = await askAdmin(admin, ['PUT', `/api/budgets/${customer.tightest}`], { token, body });
      if (status === 401) world.sessions.end(customer);
    }
  };
  const running = world.budgeted.map(run);
  return async () => {
    stopped = true;
    stopping.resolve();
    await Promise.all(running);
  };
}
