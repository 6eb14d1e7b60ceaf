/**
 * Restarts Postgres again and again under load, gracefully or by SIGKILL, while transactions are open. No admin may
 * exit because of it: their process ids are the same at the end, every response was a promised one, and the books
 * agree.
 */
import { waitUntil } from '../../../local/processes/poll.ts';
import { SeededRandom } from '../../harness/seeded-random.ts';
import { startLoad } from '../load/load.ts';
import { settleAndVerify } from '../verification/settle-and-verify.ts';
import { createWorld, type World } from '../world/world.ts';
import { type AccountLoad, startAccountLoad } from './account-load.ts';

export interface RestartsOptions {
  readonly restarts: number;
  readonly seed: number;
  /** By default 2. */
  readonly proxies?: number;
  /** Whether holds are aged artificially, or waited for. */
  readonly agesHolds: boolean;
  readonly onRestart?: (restart: number) => void;
}

export interface RestartsReport {
  readonly restarts: number;
  /** Transactions that were open when Postgres stopped. */
  readonly openTransactions: number;
  readonly adminPids: { readonly before: readonly number[]; readonly after: readonly number[] };
  readonly inferenceRequests: number;
  readonly payments: number;
  readonly calls: number;
  /** Responses of /api, by status and code. */
  readonly responses: ReadonlyMap<string, number>;
  readonly violations: readonly string[];
}

const requestsPerSecond = 30;
const betweenRestartsMsMax = 3_000;
const awayMsMax = 500;
const openTransactionMs = 1_000;
const restTimeoutMs = 240_000;

export async function restartPostgres(options: RestartsOptions): Promise<RestartsReport> {
  const world = await createWorld(options.proxies === undefined ? {} : { proxyCount: options.proxies });
  try {
    return await restartUnderLoad(world, options);
  } finally {
    await world.stop();
  }
}

async function restartUnderLoad(world: World, options: RestartsOptions): Promise<RestartsReport> {
  const before = pidsOf(world);
  const load = startLoad(world, { random: new SeededRandom(options.seed), requestsPerSecond });
  const accountLoad = await startAccountLoad(world, new SeededRandom(options.seed + 1));
  const openTransactions = await restartOften(world, options);
  await Promise.all([load.stop(), accountLoad.stop()]);
  const { agesHolds } = options;
  const { violations } = await settleAndVerify(world, load.attempts, { timeoutMs: restTimeoutMs, agesHolds });
  return {
    restarts: options.restarts,
    openTransactions,
    adminPids: { before, after: pidsOf(world) },
    inferenceRequests: load.attempts.length,
    ...countsOf(accountLoad),
    violations: [...world.admins.endings, ...violations, ...(await accountLoad.findViolations())],
  };
}

async function restartOften(world: World, { restarts, seed, onRestart }: RestartsOptions): Promise<number> {
  const random = new SeededRandom(seed + 2);
  let openTransactions = 0;
  for (let restart = 1; restart <= restarts; restart += 1) {
    await Bun.sleep(random.integer(0, betweenRestartsMsMax));
    openTransactions += await whenTransactionsAreOpen(world);
    await (random.chance(0.5) ? world.postgres.kill() : world.postgres.stop());
    await Bun.sleep(random.integer(0, awayMsMax));
    await world.postgres.start();
    onRestart?.(restart);
  }
  return openTransactions;
}

/** Of the admins; gives up at a quiet moment. */
async function whenTransactionsAreOpen({ database }: World): Promise<number> {
  let open = 0;
  const count = async () => {
    const rows = await database.sql`
      SELECT FROM pg_stat_activity WHERE application_name = 'gateway-admin' AND state = 'idle in transaction'`;
    open = rows.length;
    return open > 0;
  };
  await waitUntil(() => count().catch(() => false), { timeoutMs: openTransactionMs, everyMs: 5 });
  return open;
}

function countsOf({ calls, payments, responses }: AccountLoad) {
  return { calls: calls(), payments: payments(), responses };
}

function pidsOf({ admins }: World): number[] {
  return admins.alive.map(({ program }) => program.pid);
}
