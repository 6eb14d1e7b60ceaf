/** Can every Redis master be reached, and is it configured so that it never loses money? */
import { loadCommandConfig } from '../../../../../shared/config/admin.ts';
import { ConfigurationError } from '../../../../../shared/config/environment.ts';
import type { RedisAddress } from '../../../../../shared/redis/address.ts';
import { checkServers, type ServerReport } from '../../../../../shared/redis/check-servers.ts';
import { connectRedis, type RedisClient, whenReady } from '../../../../../shared/redis/connect.ts';
import { forwardedAdvice, wereRequestsForwarded } from '../../../../http/request/forwarded-requests.ts';
import { describeFailure } from '../../../describe-failure.ts';
import type { Finding } from './check.ts';

const connectTimeoutMs = 2_000;

export async function checkRedis(): Promise<Finding[]> {
  try {
    const { redisAddress } = loadCommandConfig(['redisAddress']);
    return redisAddress === undefined ? [] : await checkMasters(redisAddress);
  } catch (error) {
    // The configuration check reports what is wrong with the variable.
    if (error instanceof ConfigurationError) return [];
    throw error;
  }
}

async function checkMasters(address: RedisAddress): Promise<Finding[]> {
  const redis = connectRedis(address, () => {});
  try {
    await whenReady(redis, connectTimeoutMs);
    return [...(await checkServers(redis)).flatMap(findingsOf), ...(await checkAddresses(redis))];
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
async function checkAddresses(redis: RedisClient): Promise<Finding[]> {
  if (!(await wereRequestsForwarded(redis))) return [];
  const detail = 'requests with X-Forwarded-For arrived in the last day, but TRUSTED_PROXY_HOPS is 0';
  return [{ check: 'addresses', status: 'warn', detail, advice: forwardedAdvice }];
}

function findingsOf({ server, version, problems, appendOnly }: ServerReport): Finding[] {
  const check = `redis ${server}`;
  const reached: Finding = { check, status: 'ok', detail: `version ${version}` };
  const wrong = problems.map((detail): Finding => ({ check, status: 'fail', detail, advice: 'Fix it on the server.' }));
  const memory: Finding = appendOnly
    ? { check, status: 'ok', detail: 'append-only file is on' }
    : {
        check,
        status: 'warn',
        detail: 'append-only file is off: a restart loses what is not in Postgres yet',
        advice: 'Set appendonly to yes.',
      };
  return wrong.length > 0 ? [...wrong, memory] : [reached, { check, status: 'ok', detail: 'evicts nothing' }, memory];
}
