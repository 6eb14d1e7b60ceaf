/** What only a running system shows: whether both stores belong together, and what keys and proxies say. */
import type { Sql } from 'postgres';
import { counted } from '../../../../../shared/counted.ts';
import { readHealth } from '../../../../../shared/health/deployment-health.ts';
import { pepperMark } from '../../../../../shared/keys/api-key.ts';
import type { RedisClient } from '../../../../../shared/redis/connect.ts';
import { allShards } from '../../../../../shared/wallet/shard.ts';
import { WalletKeeper } from '../../../../../shared/wallet/wallet-keeper.ts';
import type { Database } from '../../../../database/connect.ts';
import type { Finding } from './finding.ts';

/** A later epoch in Redis than in Postgres means that Postgres has gone back in time. */
export async function checkEpochs({ sql }: Database, redis: RedisClient): Promise<Finding> {
  const check = 'shards';
  const keeper = new WalletKeeper(redis);
  const rows = await sql<{ shard: number; epoch: string }[]>`SELECT shard, epoch FROM shards`;
  const known = new Map(rows.map(({ shard, epoch }) => [shard, Number(epoch)]));
  const metas = await Promise.all(allShards.map(async (shard) => ({ shard, meta: await keeper.readMeta(shard) })));
  const ahead = metas.filter(({ shard, meta }) => meta !== undefined && meta.epoch > (known.get(shard) ?? 0));
  if (ahead.length > 0 && known.size > 0) {
    const detail = `${counted(ahead.length, 'shard')} of Redis in a later epoch than Postgres knows`;
    const advice = 'Was Postgres restored? Run `bun run gateway after-restore`; see docs/recovery.md.';
    return { check, status: 'fail', detail, advice };
  }
  const recovering = metas.filter(({ meta }) => meta !== undefined && meta.mode !== 'open');
  if (recovering.length === 0) return { check, status: 'ok', detail: 'none is recovering' };
  const advice = 'This takes seconds, during which requests get 503. If it persists, read the logs of the admins.';
  return { check, status: 'warn', detail: `${counted(recovering.length, 'shard')} recovering`, advice };
}

/** Whether all keys that can be used are hashed, and all secrets of people encrypted, with the pepper in use. */
export async function checkPeppers({ sql }: Database, peppers: readonly string[]): Promise<Finding[]> {
  const check = 'key pepper';
  const [inUse = '', ...former] = peppers;
  const marks = peppers.map(pepperMark);
  const [row] = await sql<{ former: string; unknown: string }[]>`
    SELECT count(*) FILTER (WHERE pepper_mark IS DISTINCT FROM ${pepperMark(inUse)}) AS former,
      count(*) FILTER (WHERE pepper_mark <> ALL(${marks})) AS unknown
    FROM api_keys WHERE deleted_at IS NULL AND (expires_at IS NULL OR expires_at > now())`;
  const [waiting, lost] = [Number(row?.former ?? 0), Number(row?.unknown ?? 0)];
  const findings: Finding[] = await checkSealed(sql, inUse, marks);
  if (lost > 0) {
    const detail = `${counted(lost, 'key')} hashed with a pepper that is not in KEY_PEPPER`;
    const advice = 'They do not work. Add the former pepper as another line, or delete them.';
    findings.push({ check, status: 'warn', detail, advice });
  }
  if (former.length > 0 && waiting > lost) {
    const detail = `${counted(waiting - lost, 'key')} still hashed with a former pepper`;
    const advice = 'Keys that have not been used by the time it is removed stop working.';
    findings.push({ check, status: 'warn', detail, advice });
  }
  return findings.length > 0
    ? findings
    : [{ check, status: 'ok', detail: 'every key is hashed with the current pepper' }];
}

/** Secrets of authenticator apps, of identity providers and of webhooks are encrypted again when they are used. */
async function checkSealed(sql: Sql, inUse: string, marks: readonly string[]): Promise<Finding[]> {
  const check = 'key pepper';
  const [row] = await sql<{ former: string; unknown: string }[]>`
    WITH secrets AS (
      SELECT split_part(sealed_secret, '.', 1) AS mark FROM totp_factors WHERE confirmed_at IS NOT NULL
      UNION ALL SELECT split_part(sealed_secret, '.', 1) FROM oidc_providers
      UNION ALL SELECT split_part(sealed_secret, '.', 1) FROM webhook_endpoints)
    SELECT count(*) FILTER (WHERE mark <> ${pepperMark(inUse)}) AS former,
      count(*) FILTER (WHERE mark <> ALL(${marks})) AS unknown
    FROM secrets`;
  const [waiting, lost] = [Number(row?.former ?? 0), Number(row?.unknown ?? 0)];
  if (lost > 0) {
    const detail = `${counted(lost, 'secret')} encrypted with a pepper that is not in KEY_PEPPER`;
    const advice =
      'Authenticator apps, single sign-on and webhooks do not work with them. Add the former pepper as another line, or reset them.';
    return [{ check, status: 'warn', detail, advice }];
  }
  if (waiting === 0) return [];
  const detail = `${counted(waiting, 'secret')} still encrypted with a former pepper`;
  const advice = 'Those that have not been used by the time it is removed can no longer be read.';
  return [{ check, status: 'warn', detail, advice }];
}

/** Deployments that proxies do not use, usually for a provider's key or its balance. None if no proxy has reported. */
export async function checkDeployments(redis: RedisClient): Promise<Finding[]> {
  const replicas = await readHealth(redis, Date.now());
  if (replicas.length === 0) return [];
  const failing = replicas.flatMap(({ deployments }) => deployments.filter(({ state }) => state === 'open'));
  const names = [...new Set(failing.map(({ deployment, lastFailure }) => `${deployment} (${lastFailure?.reason})`))];
  const check = 'proxies';
  const ok: Finding = { check, status: 'ok', detail: `${replicas.length} reported in the last 30 s` };
  if (names.length === 0) return [ok];
  const advice = 'See `bun run gateway health`, and docs/runbooks/NoHealthyDeployment.md for each reason.';
  return [ok, { check: 'deployments', status: 'warn', detail: `not used after failures: ${names.join(', ')}`, advice }];
}
