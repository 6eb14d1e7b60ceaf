/** Redis for `gateway doctor`: each server, whether it keeps its data, its memory, its disk and its clock. */
import { ConfigurationError } from '../../../../../shared/config/environment.ts';
import type { RedisAddress } from '../../../../../shared/redis/address.ts';
import { checkServers, type ServerReport } from '../../../../../shared/redis/check-servers.ts';
import { connectRedis, type RedisClient, whenReady } from '../../../../../shared/redis/connect.ts';
import { loadCommandConfig } from '../../../../config/admin.ts';
import { forwardedAdvice, wereRequestsForwarded } from '../../../../http/request/forwarded-requests.ts';
import { describeFailure } from '../../../describe-failure.ts';
import { checkClock } from './check-clock.ts';
import { checkDisk } from './check-disk.ts';
import type { Finding } from './finding.ts';

const connectTimeoutMs = 2_000;

export async function checkRedis(): Promise<Finding[]> {
  try {
    const { redisAddress } = loadCommandConfig(['redisAddress']);
    return redisAddress === undefined ? [] : [...checkPassword(redisAddress), ...(await checkMasters(redisAddress))];
  } catch (error) {
    // The configuration check reports what is wrong with the variable.
    if (error instanceof ConfigurationError) return [];
    throw error;
  }
}

/** Anyone who can write to Redis can create balances. */
function checkPassword({ access }: RedisAddress): Finding[] {
  if (access.password !== undefined) return [];
  const detail = 'REDIS_URL has no password, so anything that reaches the port can create balances';
  return [
    { check: 'redis', status: 'warn', detail, advice: 'Set requirepass on the server, and add it to REDIS_URL.' },
  ];
}

async function checkMasters(address: RedisAddress): Promise<Finding[]> {
  const redis = connectRedis(address, () => {});
  try {
    await whenReady(redis, connectTimeoutMs);
    const servers = await checkServers(redis);
    const clocks = servers.map(({ server, readMs }) => checkClock(`redis ${server}`, readMs));
    return [...servers.flatMap(findingsOf), ...(await Promise.all(clocks)), ...(await checkForwarded(redis))];
  } catch (error) {
    const detail = describeFailure(error).message;
    return [
      { check: 'redis', status: 'fail', detail, advice: 'Check that it is running and that REDIS_URL is correct.' },
    ];
  } finally {
    redis.disconnect();
  }
}

/** Whether admin sees its clients' own addresses. */
async function checkForwarded(redis: RedisClient): Promise<Finding[]> {
  if (!(await wereRequestsForwarded(redis))) return [];
  const detail = 'requests with X-Forwarded-For arrived in the last day, but TRUSTED_PROXY_HOPS is 0';
  return [{ check: 'addresses', status: 'warn', detail, advice: forwardedAdvice }];
}

function findingsOf({
  server,
  host,
  version,
  problems,
  appendOnly,
  usedBytes,
  maxBytes,
  folder,
  warnings,
}: ServerReport): Finding[] {
  const check = `redis ${server}`;
  const reached: Finding = { check, status: 'ok', detail: `version ${version}` };
  const wrong = problems.map((detail): Finding => ({ check, status: 'fail', detail, advice: 'Fix it on the server.' }));
  const file: Finding = appendOnly
    ? { check, status: 'ok', detail: 'append-only file is on' }
    : {
        check,
        status: 'warn',
        detail: 'append-only file is off: a restart loses what is not in Postgres yet',
        advice: 'Set appendonly to yes.',
      };
  const fit = wrong.length > 0 ? wrong : [reached, { check, status: 'ok', detail: 'evicts nothing' } as const];
  const seen = warnings.map(({ detail, advice }): Finding => ({ check, status: 'fail', detail, advice }));
  const disk = folder === undefined ? [] : checkDisk(check, { host, folder });
  // Without a limit, there is a warning about that.
  const memory = maxBytes === 0 ? [] : [memoryFinding(check, { usedBytes, maxBytes })];
  return [...fit, file, ...seen, ...memory, ...disk];
}

const warnShare = 0.7;
/** Above it, proxies refuse requests. */
const failShare = 0.9;
const mebibyte = 1024 ** 2;

export function memoryFinding(
  check: string,
  { usedBytes, maxBytes }: Pick<ServerReport, 'usedBytes' | 'maxBytes'>,
): Finding {
  const share = usedBytes / maxBytes;
  const [used, max] = [usedBytes, maxBytes].map((bytes) => Math.round(bytes / mebibyte));
  const detail = `${used} MiB are used (${Math.round(share * 100)} %), of ${max} MiB of maxmemory`;
  if (share < warnShare) return { check, status: 'ok', detail };
  const advice = 'Give Redis more memory: requests are refused at 90 %. See docs/runbooks/RedisMemoryLow.md.';
  return { check, status: share < failShare ? 'warn' : 'fail', detail, advice };
}
