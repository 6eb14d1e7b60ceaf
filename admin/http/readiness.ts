/** Whether this replica can serve: both stores respond, the workers run, and it is not shutting down. */
import { findServerProblems } from '../../shared/redis/check-servers.ts';
import type { RedisClient } from '../../shared/redis/connect.ts';
import type { AdminServices } from '../services.ts';

const checkTimeoutMs = 2_000;

/** State that the server cannot determine itself. */
export interface Lifecycle {
  workersReady(): boolean;
  /** It is about to end. */
  shuttingDown(): boolean;
}

/** The names of what is missing; empty when ready. */
export async function findMissing(services: AdminServices, lifecycle: Lifecycle): Promise<string[]> {
  const { sql } = services.database;
  const checks: Record<string, Promise<boolean>> = {
    postgres: responds(() => sql`SELECT 1`),
    redis: responds(() => services.redis.ping()),
    'redis settings: see gateway doctor': responds(() => assertFit(services.redis)),
    workers: Promise.resolve(lifecycle.workersReady()),
    leaving: Promise.resolve(!lifecycle.shuttingDown()),
  };
  const results = await Promise.all(Object.entries(checks).map(async ([name, check]) => ({ name, ok: await check })));
  return results.filter(({ ok }) => !ok).map(({ name }) => name);
}

/** A server whose settings were changed at run time may evict wallets. */
async function assertFit(redis: RedisClient): Promise<void> {
  // A server that does not respond is reported by its own check.
  const [problem] = await findServerProblems(redis).catch(() => []);
  if (problem !== undefined) throw new Error(problem);
}

/** A half-open connection never responds, so silence counts as no. */
async function responds(check: () => PromiseLike<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), checkTimeoutMs);
  });
  const probe = async () => {
    await check();
    return true;
  };
  const result = await Promise.race([probe().catch(() => false), silence]);
  clearTimeout(timer);
  return result;
}
