/** An account as its owner sees it through the API, and as the ledger has it. */
import { eq } from 'drizzle-orm';
import type { Database } from '../../admin/database/connect.ts';
import { accounts } from '../../admin/database/tables/accounts.ts';
import type { Customer } from './customers.ts';
import { logInAt } from './log-in-at.ts';
import type { Served } from './programs.ts';

export interface Transaction {
  readonly id: number;
  readonly amount: number;
  readonly type: string;
  readonly description: string;
  readonly createdAt: string;
  readonly requestId?: string;
  readonly model?: string;
}

interface Balance {
  readonly balance: number;
  readonly available: number;
  readonly reserved: number;
  readonly balanceRub: number;
}

export interface AccountView {
  /** The response to a GET of any path; throws unless it is a success. */
  get<Body>(path: string): Promise<Body>;
  balance(): Promise<Balance>;
  /** Once nothing is reserved, and all is booked: a proxy keeps a lease for two seconds after the last request. */
  balanceAtRest(): Promise<Balance>;
  transactions(): Promise<Transaction[]>;
}

export async function logIn(admin: Served, customer: Customer): Promise<AccountView> {
  const accessToken = await logInAt(admin.url, customer);
  const get = async <Body>(path: string) => {
    const response = await fetch(`${admin.url}${path}`, { headers: { authorization: `Bearer ${accessToken}` } });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Body;
  };
  const balance = () => get<Balance>('/api/balance');
  return {
    get,
    balance,
    balanceAtRest: () =>
      waitFor('leases to be returned', guardTimeoutMs, async () => {
        const now = await balance();
        return now.reserved === 0 && now.available === now.balance && now;
      }),
    transactions: async () => (await get<{ transactions: Transaction[] }>('/api/transactions')).transactions,
  };
}

export async function readLedger(
  { database }: { readonly database: Database },
  accountId: number,
): Promise<{ balanceNano: bigint; spentNano: bigint }> {
  const [account] = await database.db.select().from(accounts).where(eq(accounts.id, accountId));
  if (account === undefined) throw new Error(`no account ${accountId}`);
  return account;
}

/** Far longer than anything that is awaited takes: a guard against endless waits, which promises nothing. */
export const guardTimeoutMs = 120_000;

const pollMaxMs = 20;
/** What takes long is asked for less often: each question takes CPU from what is awaited. */
const pollMaxShare = 0.05;

/** Polls until the result is neither undefined nor false, first often, then less; throws when the time is over. */
export async function waitFor<Result>(
  what: string,
  timeoutMs: number,
  ask: () => Promise<Result | undefined | false>,
): Promise<Result> {
  const begun = Date.now();
  for (let pollMs = 1; ; pollMs *= 2) {
    const result = await ask();
    if (result !== undefined && result !== false) return result;
    const waitedMs = Date.now() - begun;
    pollMs = Math.min(pollMs, Math.max(pollMaxMs, waitedMs * pollMaxShare));
    if (waitedMs > timeoutMs) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    await Bun.sleep(pollMs);
  }
}
