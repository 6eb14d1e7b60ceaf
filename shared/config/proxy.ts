/** The proxy's configuration. */
import type { LogLevel } from '../log.ts';
import { logLevels } from '../log.ts';
import type { RedisAddress } from '../redis/address.ts';
import type { RateLimits } from '../wallet/key-limits.ts';
import { EnvironmentReader, type EnvironmentVariables } from './environment.ts';
import { readRedisAddress } from './redis.ts';

export interface ProxyConfig {
  readonly host: string;
  readonly port: number;
  readonly redisAddress: RedisAddress;
  readonly keyPepper: string;
  /** Of one request. */
  readonly bodyMaxBytes: number;
  /** Of all requests that are worked on, together. */
  readonly bodiesMaxBytes: number;
  /** Of a key for which nothing else is set. */
  readonly rateLimits: RateLimits;
  /** Customers are told which deployment has answered, and so who supplies the model. */
  readonly exposeDeployments: boolean;
  readonly logLevel: LogLevel;
  /** The provider's key that a catalogue's `apiKeyEnv` names, or undefined where it is not set. */
  readonly providerKey: (variable: string) => string | undefined;
}

const mebibyte = 1024 * 1024;

/** Throws ConfigurationError with everything that is wrong. */
export function loadProxyConfig(variables: EnvironmentVariables = process.env): ProxyConfig {
  const environment = new EnvironmentReader(variables);
  const config: ProxyConfig = {
    host: environment.text('HOST', '0.0.0.0'),
    port: environment.port('PROXY_PORT', 8080),
    redisAddress: readRedisAddress(environment),
    keyPepper: environment.secret('KEY_PEPPER', {
      minLength: 32,
      meaning: 'the secret under which API keys are hashed',
    }),
    bodyMaxBytes: environment.integer('MAX_BODY_BYTES', { fallback: 20 * mebibyte, min: 1024, max: 1024 * mebibyte }),
    bodiesMaxBytes: environment.integer('MAX_BODIES_BYTES', {
      fallback: 1024 * mebibyte,
      min: 1024 * 1024,
      max: 1024 * 1024 * mebibyte,
    }),
    rateLimits: {
      requestsPerMinute: readLimit(environment, 'RATE_LIMIT_REQUESTS_PER_MINUTE', 6_000),
      tokensPerMinute: readLimit(environment, 'RATE_LIMIT_TOKENS_PER_MINUTE', 20_000_000),
      concurrentStreams: readLimit(environment, 'RATE_LIMIT_CONCURRENT_STREAMS', 1_000),
    },
    exposeDeployments: environment.oneOf('EXPOSE_DEPLOYMENTS', ['true', 'false'], 'false') === 'true',
    logLevel: environment.oneOf('LOG_LEVEL', logLevels, 'info'),
    providerKey: (variable) => environment.optionalText(variable),
  };
  environment.assertValid();
  return config;
}

/** 0 is no limit. */
function readLimit(environment: EnvironmentReader, name: string, fallback: number): number {
  return environment.integer(name, { fallback, min: 0, max: 1_000_000_000_000 });
}
