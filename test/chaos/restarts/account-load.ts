/**
 * Steady load on /api while Postgres restarts: callers read, create keys and book payments on every admin. Each payment
 * is repeated with its Idempotency-Key until it gets a response, so that at the end it must be booked exactly once.
 */
import { inCampaign } from '../../harness/campaigns.ts';
import { type Customer, createCustomer } from '../../harness/customers.ts';
import type { SeededRandom } from '../../harness/seeded-random.ts';
import { type AdminResponse, askAdmin, logIn } from '../load/admin-call.ts';
import type { Replica } from '../world/replicas.ts';
import type { World } from '../world/world.ts';

const callersPerAdmin = inCampaign(2, 4);
const betweenCallsMs = 15;
const retryMs = 200;
const paymentUsd = '0.01';

/** `key` is the Idempotency-Key, which is not part of the body. */
type Body = Readonly<Record<string, unknown>> & { readonly key?: string };

export interface AccountLoad {
  readonly calls: () => number;
  /** Responses by status and code: `503 database_unavailable`. */
  readonly responses: ReadonlyMap<string, number>;
  readonly payments: () => number;
  /** Resolves when every caller has had their last response. */
  stop(): Promise<void>;
  /** Responses that should not occur, and payments that are not booked exactly once. */
  findViolations(): Promise<string[]>;
}

export async function startAccountLoad(world: World, random: SeededRandom): Promise<AccountLoad> {
  const services = { database: world.database, keeper: world.keeper, keyPepper: crypto.randomUUID() };
  const operator = await createCustomer(services, { usd: '0', role: 'operator' });
  const payer = await createCustomer(services, { usd: '0' });
  // Valid for longer than a hundred restarts take, on every admin.
  const token = await logIn(world.admins, operator);
  const responses = new Map<string, number>();
  const problems: string[] = [];
  const paid = new Set<string>();
  let calls = 0;
  let stopping = false;

  const call = async (admin: Replica, [method, path]: readonly [string, string], body?: Body) => {
    calls += 1;
    const { key, ...rest } = body ?? {};
    const response = await askAdmin(admin, [method, path], { token, key, ...(body && { body: rest }) });
    const name = [response.status, response.code].filter((part) => part !== undefined).join(' ');
    responses.set(name, (responses.get(name) ?? 0) + 1);
    if (!isAllowed(response)) problems.push(`${method} ${path}: ${name}`);
    return response;
  };
  const pay = async (admin: Replica) => {
    const key = crypto.randomUUID();
    const input = { accountId: payer.accountId, usd: paymentUsd, reason: 'chaos', key };
    for (;;) {
      const response = await call(admin, ['POST', '/api/operator/payments'], input);
      if (response.status === 201) paid.add(key);
      if (response.status === 201 || !isAllowed(response)) return;
      await Bun.sleep(retryMs);
    }
  };
  const run = async (admin: Replica) => {
    while (!stopping) {
      const chance = random.next();
      if (chance < 0.3) await pay(admin);
      else if (chance < 0.5) await makeKey(admin);
      else await call(admin, ['GET', random.pick(reads)]);
      await Bun.sleep(betweenCallsMs);
    }
  };
  const makeKey = async (admin: Replica) => {
    const { body } = await call(admin, ['POST', '/api/proxy-keys'], { name: 'chaos' });
    const id = Object(body).id;
    if (id !== undefined) await call(admin, ['DELETE', `/api/proxy-keys/${id}`]);
  };
  const callers = world.admins.alive.flatMap((admin) => Array.from({ length: callersPerAdmin }, () => run(admin)));

  return {
    calls: () => calls,
    responses,
    payments: () => paid.size,
    stop: async () => {
      stopping = true;
      await Promise.all(callers);
    },
    findViolations: async () => [...problems, ...(await findWrongPayments(world, payer, paid))],
  };
}

const reads = [
  '/api/balance',
  '/api/transactions',
  '/api/transactions/export',
  '/api/usage',
  '/api/operator/accounts',
  '/api/operator/reconciliation',
];

/** Served, or refused with a Retry-After; or a first attempt is still running, or nothing was reconciled yet. */
function isAllowed({ status, code }: AdminResponse): boolean {
  if (status < 300 || code === 'database_unavailable' || code === 'wallet_unavailable') return true;
  return code === 'idempotency_in_progress' || code === 'not_found';
}

async function findWrongPayments({ database }: World, payer: Customer, paid: ReadonlySet<string>): Promise<string[]> {
  const [row] = await database.sql<{ payments: number }[]>`
    SELECT count(*)::int AS payments FROM ledger_lines WHERE book = 'wallet' AND account_id = ${payer.accountId}`;
  return row?.payments === paid.size ? [] : [`${paid.size} payments were answered, and ${row?.payments} are booked`];
}
