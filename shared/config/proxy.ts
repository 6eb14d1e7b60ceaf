/** The proxy's configuration. */
import { withoutTrailingSlashes } from '../http/base-url.ts';
import { readMetricsTokens } from '../http/operational.ts';
import { perRateLimit } from '../limits/rate-limits.ts';
import type { LogLevel } from '../log.ts';
import { logLevels } from '../log.ts';
import type { RedisAddress } from '../redis/address.ts';
import type { RateLimits } from '../wallet/key-limits.ts';
import { EnvironmentReader, type EnvironmentVariables } from './environment.ts';
import { type FilesConfig, readFilesConfig } from './files.ts';
import { readKeyPeppers } from './key-peppers.ts';
import { type ListedKeys, readListedKeys, refuseKeyName } from './provider-keys.ts';
import { readRedisAddress, readRedisCommandTimeout } from './redis.ts';
import type { ProviderKey, SecretFiles } from './secret-files.ts';
import { readShutdownBudget, type ShutdownBudget } from './shutdown.ts';

export interface ProxyConfig {
  readonly host: string;
  readonly port: number;
  /** Whether other proxies on this machine may listen on the same port. */
  readonly reusePort: boolean;
  readonly redisAddress: RedisAddress;
  readonly redisCommandTimeoutMs: number;
  /** The first is in use; the others are accepted while keys are hashed again. */
  readonly keyPeppers: readonly string[];
  /** To be read again while the program runs. */
  readonly secretFiles: SecretFiles;
  /** For one request. */
  readonly bodyMaxBytes: number;
  /** For the memory of the bodies of all requests in progress together. */
  readonly bodiesMaxBytes: number;
  /** For the responses that are stored for repetitions, in Redis; 0 for none. */
  readonly cacheMaxBytes: number;
  /** For keys without limits of their own. */
  readonly rateLimits: RateLimits;
  /** Admin's public address, where the documentation is; undefined if it is not known. Without a trailing slash. */
  readonly adminPublicUrl: string | undefined;
  /** How many reverse proxies are in front; their `X-Forwarded-For` contains the client's address. */
  readonly trustedProxyHops: number;
  /** What sends requests to providers: Bun's `fetch`, or connections of our own. */
  readonly providerClient: (typeof providerClients)[number];
  /** Whether responses name the deployment, and so the supplier of the model. */
  readonly exposeDeployments: boolean;
  /** Undefined if no files are stored, and no batches run. */
  readonly files: FilesConfig | undefined;
  readonly shutdown: ShutdownBudget;
  readonly logLevel: LogLevel;
  /** The tokens that /metrics accepts; empty if everyone may read it. */
  readonly metricsTokens: readonly string[];
  /** Whether each request is traced. The exporter reads the other variables of OpenTelemetry itself. */
  readonly isTraced: boolean;
  /** The provider's key from a variable that the catalogue names, or from the file that `NAME_FILE` names. */
  readonly providerKey: (variable: string) => ProviderKey;
}

export const providerClients = ['own', 'fetch'] as const;
/** The way through a proxy is found by `fetch`. */
const proxyVariables = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'] as const;

const mebibyte = 1024 * 1024;
const rateLimitMax = 1_000_000_000_000;

/**
 * What a proxy's memory limit has besides `MAX_BODIES_BYTES`: for the program, a thousand open streams, and copies of bodies
 * that wait for the collector.
 */
export const memoryBesidesBodies = 768 * mebibyte;

/** Throws ConfigurationError with everything that is wrong. */
export function loadProxyConfig(variables: EnvironmentVariables = process.env): ProxyConfig {
  const environment = new EnvironmentReader(variables);
  const listedKeys = readListedKeys(environment);
  const keyPeppers = readKeyPeppers(environment);
  const metricsTokens = readMetricsTokens(environment);
  const adminUrl = environment.switchableUrl('PUBLIC_URL', { schemes: ['http:', 'https:'], fallback: '' });
  const providerClient = environment.oneOf('PROVIDER_CLIENT', providerClients, 'own');
  const config: ProxyConfig = {
    host: environment.text('HOST', '0.0.0.0'),
    port: environment.port('PROXY_PORT', 8080),
    reusePort: environment.oneOf('PROXY_REUSE_PORT', ['true', 'false'], 'false') === 'true',
    redisAddress: readRedisAddress(environment),
    redisCommandTimeoutMs: readRedisCommandTimeout(environment),
    get keyPeppers() {
      return keyPeppers();
    },
    secretFiles: environment.files,
    bodyMaxBytes: environment.integer('MAX_BODY_BYTES', { fallback: 20 * mebibyte, min: 1024, max: 1024 * mebibyte }),
    bodiesMaxBytes: environment.integer('MAX_BODIES_BYTES', {
      fallback: 1280 * mebibyte,
      min: 1024 * 1024,
      max: 1024 * 1024 * mebibyte,
    }),
    cacheMaxBytes: environment.integer('CACHE_MAX_BYTES', {
      fallback: 64 * mebibyte,
      min: 0,
      max: 1024 * 1024 * mebibyte,
    }),
    rateLimits: perRateLimit(({ variable, fallback }) =>
      environment.integer(variable, { fallback, min: 0, max: rateLimitMax }),
    ),
    adminPublicUrl: adminUrl && withoutTrailingSlashes(adminUrl),
    trustedProxyHops: environment.integer('TRUSTED_PROXY_HOPS', { fallback: 0, min: 0, max: 10 }),
    providerClient: proxyVariables.some((name) => (variables[name] ?? '') !== '') ? 'fetch' : providerClient,
    exposeDeployments: environment.oneOf('EXPOSE_DEPLOYMENTS', ['true', 'false'], 'false') === 'true',
    files: readFilesConfig(environment),
    shutdown: readShutdownBudget(environment),
    logLevel: environment.oneOf('LOG_LEVEL', logLevels, 'info'),
    get metricsTokens() {
      return metricsTokens();
    },
    isTraced: (environment.optionalText('OTEL_EXPORTER_OTLP_ENDPOINT') ?? '') !== '',
    providerKey: (variable) => readProviderKey(environment, variable, listedKeys),
  };
  environment.assertValid();
  return config;
}

/** Checked here too: the current catalogue may be older than the rule that admin applies to new ones. */
function readProviderKey(environment: EnvironmentReader, variable: string, listedKeys: ListedKeys): ProviderKey {
  const refusal = refuseKeyName(variable, listedKeys);
  if (refusal !== undefined) return { ok: false, problem: `${variable} ${refusal}` };
  const key = environment.optionalText(variable);
  if (key !== undefined) return { ok: true, key };
  const path = environment.optionalText(`${variable}_FILE`);
  if (path === undefined) return { ok: false, problem: `${variable} is not set` };
  return environment.files.open(`${variable}_FILE`, path).key;
}
