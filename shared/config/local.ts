/**
 * What the programs in `local/` take from the environment: `npm start`'s supervisor, and the demo provider.
 *
 * Invariant: this is the only place where they read it. What the supervisor does not know it passes on untouched to
 * the programs that it starts, but providers' keys only to the proxy.
 */
import { resolve } from 'node:path';
import { EnvironmentReader, type EnvironmentVariables } from './environment.ts';
import { type ListedKeys, readListedKeys } from './provider-keys.ts';
import { readOptionalRedisAddress } from './redis.ts';

const tokensPerSecondMax = 100_000;

export interface LocalConfiguration {
  host: string;
  /** 0 means: a free one, picked at every start. */
  proxyPort: number;
  adminPort: number;
  /** Undefined means: 8082 or, if that is taken, a free one. */
  demoPort: number | undefined;
  dataDir: string;
  /** Services of the user's own in place of the embedded ones. */
  databaseUrl: string | undefined;
  redisUrl: string | undefined;
  cataloguePath: string | undefined;
  /** The secrets that the user gives, so that none is made for them. */
  givenSecrets: ReadonlySet<string>;
  /** True where npm waits for us: when it is killed, nobody is left to stop us. */
  endsWithParent: boolean;
  hasColours: boolean;
  /** Names of variables that hold providers' keys, beside those that end in `_API_KEY`. */
  listedKeys: ListedKeys;
  /** The user's environment; each program gets its part of it before its own settings. */
  inherited: Record<string, string>;
}

export interface DemoProviderConfiguration {
  hostname: string;
  port: number;
  tokensPerSecond: number;
}

export const secretNames = ['JWT_SECRET', 'KEY_PEPPER'] as const;

export function loadLocalConfiguration(variables: EnvironmentVariables = process.env): LocalConfiguration {
  const reader = new EnvironmentReader(variables);
  const configuration = {
    host: reader.text('HOST', '127.0.0.1'),
    proxyPort: reader.port('PROXY_PORT', 8080),
    adminPort: reader.port('ADMIN_PORT', 8081),
    demoPort: reader.optionalText('DEMO_PORT') === undefined ? undefined : reader.port('DEMO_PORT', 8082),
    dataDir: resolve(reader.text('DATA_DIR', '.data')),
    databaseUrl: reader.optionalText('DATABASE_URL'),
    redisUrl: reader.optionalText('REDIS_URL'),
    cataloguePath: reader.optionalText('GATEWAY_CATALOGUE'),
    givenSecrets: new Set(secretNames.filter((name) => isGiven(reader, name))),
    endsWithParent: reader.optionalText('npm_lifecycle_event') !== undefined,
    hasColours: reader.optionalText('NO_COLOR') === undefined && reader.optionalText('TERM') !== 'dumb',
    listedKeys: readListedKeys(reader),
    inherited: definedOnly(variables),
  };
  if (configuration.databaseUrl !== undefined) {
    reader.url('DATABASE_URL', { schemes: ['postgres:', 'postgresql:'], meaning: 'the address of Postgres' });
  }
  readOptionalRedisAddress(reader);
  reader.assertValid();
  return configuration;
}

export function loadDemoProviderConfiguration(
  variables: EnvironmentVariables = process.env,
): DemoProviderConfiguration {
  const reader = new EnvironmentReader(variables);
  const configuration = {
    // Only the proxy on the same machine has any business with it.
    hostname: '127.0.0.1',
    port: reader.port('DEMO_PORT', 8082),
    tokensPerSecond: reader.integer('DEMO_TOKENS_PER_SECOND', { fallback: 40, min: 0, max: tokensPerSecondMax }),
  };
  reader.assertValid();
  return configuration;
}

function isGiven(reader: EnvironmentReader, name: string): boolean {
  return reader.optionalText(name) !== undefined || reader.optionalText(`${name}_FILE`) !== undefined;
}

function definedOnly(variables: EnvironmentVariables): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
