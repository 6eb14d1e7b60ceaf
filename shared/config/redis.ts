/** Where Redis is and how long it is waited for, for every program. The forms of REDIS_URL are documented in shared/redis/address.ts. */
import { parseRedisAddress, type RedisAddress, redisUrlForms } from '../redis/address.ts';
import { redisCommandTimeoutMs } from '../redis/connect.ts';
import type { EnvironmentReader } from './environment.ts';

/** A placeholder for an address that was refused; no program starts with it. */
const refused: RedisAddress = {
  kind: 'standalone',
  server: { host: 'refused.invalid', port: 1 },
  database: 0,
  access: { username: undefined, password: undefined, usesTls: false },
};

export function readRedisAddress(environment: EnvironmentReader): RedisAddress {
  return environment.parsedSecret('REDIS_URL', {
    meaning: `the Redis that holds the wallets: ${redisUrlForms}`,
    parse: parseRedisAddress,
    otherwise: refused,
  });
}

/** Undefined if neither REDIS_URL nor REDIS_URL_FILE is set. */
export function readOptionalRedisAddress(environment: EnvironmentReader): RedisAddress | undefined {
  return environment.isGiven('REDIS_URL') ? readRedisAddress(environment) : undefined;
}

/** How long a program waits for the reply to a command. */
export function readRedisCommandTimeout(environment: EnvironmentReader): number {
  return environment.integer('REDIS_COMMAND_TIMEOUT_MS', { fallback: redisCommandTimeoutMs, min: 500, max: 60_000 });
}
