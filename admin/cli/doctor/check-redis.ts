/** Can every Redis node be reached, and is it set up so that it never forgets money? */
import { loadCommandConfig } from '../../../shared/config/admin.ts';
import { ConfigurationError } from '../../../shared/config/environment.ts';
import { connectRedis, whenReady } from '../../../shared/redis/connect.ts';
import { describeFailure } from '../describe-failure.ts';
import type { Finding } from './check.ts';

const connectTimeoutMs = 2_000;
const majorVersionMin = 7;

export async function checkRedis(): Promise<Finding[]> {
  try {
    const { redisUrls } = loadCommandConfig(['redisUrls']);
    const findings = await Promise.all(redisUrls.map((url, index) => checkNode(url, `redis node ${index + 1}`)));
    return findings.flat();
  } catch (error) {
    // What is wrong with the variable is told by the check of the configuration.
    if (error instanceof ConfigurationError) return [];
    throw error;
  }
}

async function checkNode(url: string, check: string): Promise<Finding[]> {
  const redis = connectRedis([url], () => {});
  try {
    await whenReady(redis, connectTimeoutMs);
    return judge(readInfo(await redis.info()), check);
  } catch (error) {
    const detail = describeFailure(error).message;
    return [{ check, status: 'fail', detail, advice: 'Is it running, and is REDIS_URL right?' }];
  } finally {
    redis.disconnect();
  }
}

function judge(info: ReadonlyMap<string, string>, check: string): Finding[] {
  const version = info.get('redis_version') ?? 'unknown';
  const policy = info.get('maxmemory_policy') ?? 'unknown';
  const appendOnly = info.get('aof_enabled') === '1';
  return [
    Number.parseInt(version, 10) >= majorVersionMin
      ? { check, status: 'ok', detail: `version ${version}` }
      : { check, status: 'fail', detail: `version ${version}`, advice: `Version ${majorVersionMin} is the oldest.` },
    policy === 'noeviction'
      ? { check, status: 'ok', detail: 'evicts nothing' }
      : {
          check,
          status: 'fail',
          detail: `maxmemory-policy is ${policy}: it may throw wallets away`,
          advice: 'Set maxmemory-policy to noeviction.',
        },
    appendOnly
      ? { check, status: 'ok', detail: 'append-only file is on' }
      : {
          check,
          status: 'warn',
          detail: 'append-only file is off: a restart forgets what is not in Postgres yet',
          advice: 'Set appendonly to yes.',
        },
  ];
}

/** `INFO` answers `name:value` lines. Unlike `CONFIG GET` it is allowed on managed servers. */
function readInfo(text: string): ReadonlyMap<string, string> {
  const pairs = text.split('\r\n').map((line) => line.split(':'));
  return new Map(pairs.map(([name = '', ...value]) => [name, value.join(':')]));
}
