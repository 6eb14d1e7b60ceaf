/** The proxy's configuration. */

import { readMetricsToken } from '../http/operational.ts';
import type { LogLevel } from '../log.ts';
import { logLevels } from '../log.ts';
import type { RedisAddress } from '../redis/address.ts';
import type { RateLimits } from '../wallet/key-limits.ts';
import { EnvironmentReader, type EnvironmentVariables } from './environment.ts';
import { KeyFiles, type ProviderKey } from './key-files.ts';
import { type ListedKeys, readListedKeys, refuseKeyName } from './provider-keys.ts';
import { readRedisAddress } from './redis.ts';
import { readShutdownBudget, type ShutdownBudget } from './shutdown.ts';

export interface ProxyConfig {
  readonly host: string;
  readonly port: number;
  /** Whether other proxies on this machine may listen on the same port. */
  readonly reusePort: boolean;
  readonly redisAddress: RedisAddress;
  readonly keyPepper: string;
  /** For one request. */
  readonly bodyMaxBytes: number;
  /** For all requests in progress together. */
  readonly bodiesMaxBytes: number;
  /** For keys without limits of their own. */
  readonly rateLimits: RateLimits;
  /** Admin's public address, where the documentation is; undefined if it is not known. Without a trailing slash. */
  readonly adminPublicUrl: string | undefined;
  /** Whether responses name the deployment, and so the supplier of the model. */
  readonly exposeDeployments: boolean;
  readonly shutdown: ShutdownBudget;
  readonly logLevel: LogLevel;
  /** The token that /metrics requires; undefined if everyone may read it. */
  readonly metricsToken: string | undefined;
  /** Whether each request is traced. The exporter reads the other variables of OpenTelemetry itself. */
  readonly isTraced: boolean;
  /** The provider's key from a variable that the catalogue names, or from the file that `NAME_FILE` names. */
  readonly providerKey: (variable: string) => ProviderKey;
}

const mebibyte = 1024 * 1024;

/** Throws ConfigurationError with everything that is wrong. */
export function loadProxyConfig(variables: EnvironmentVariables = process.env): ProxyConfig {
  const environment = new EnvironmentReader(variables);
  const listedKeys = readListedKeys(environment);
  const files = new KeyFiles();
  const config: ProxyConfig = {
    host: environment.text('HOST', '0.0.0.0'),
    port: environment.port('PROXY_PORT', 8080),
    reusePort: environment.oneOf('PROXY_REUSE_PORT', ['true', 'false'], 'false') === 'true',
    redisAddress: readRedisAddress(environment),
    keyPepper: environment.secret('KEY_PEPPER', {
      minLength: 32,
      meaning: 'the secret that API keys are hashed with',
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
    adminPublicUrl: environment
      .switchableUrl('PUBLIC_URL', { schemes: ['http:', 'https:'], fallback: '' })
      ?.replace(/\/+$/, ''),
    exposeDeployments: environment.oneOf('EXPOSE_DEPLOYMENTS', ['true', 'false'], 'false') === 'true',
    shutdown: readShutdownBudget(environment),
    logLevel: environment.oneOf('LOG_LEVEL', logLevels, 'info'),
    metricsToken: readMetricsToken(environment),
    isTraced: (environment.optionalText('OTEL_EXPORTER_OTLP_ENDPOINT') ?? '') !== '',
    providerKey: (variable) => readProviderKey(environment, variable, { listedKeys, files }),
  };
  environment.assertValid();
  return config;
}

/** Checked here too: a catalogue in force may be older than the rule that admin applies to new ones. */
function readProviderKey(
  environment: EnvironmentReader,
  variable: string,
  { listedKeys, files }: { listedKeys: ListedKeys; files: KeyFiles },
): ProviderKey {
  const refusal = refuseKeyName(variable, listedKeys);
  if (refusal !== undefined) return { ok: false, problem: `${variable} ${refusal}` };
  const key = environment.optionalText(variable);
  if (key !== undefined) return { ok: true, key };
  const path = environment.optionalText(`${variable}_FILE`);
  return path === undefined ? { ok: false, problem: `${variable} is not set` } : files.keyIn(path, `${variable}_FILE`);
}

/** 0 is no limit. */
function readLimit(environment: EnvironmentReader, name: string, fallback: number): number {
  return environment.integer(name, { fallback, min: 0, max: 1_000_000_000_000 });
}
