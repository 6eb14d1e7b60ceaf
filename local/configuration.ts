/**
 * What the programs in `local/` read from the environment: `npm start`'s supervisor, and the demo provider.
 *
 * Invariant: this is the only place where they read it. Variables that the supervisor does not know are passed on
 * unchanged to the programs it starts, but providers' keys only to the proxy.
 */
import { resolve } from 'node:path';
import { loadAdminConfig } from '../admin/config/admin.ts';
import { ConfigurationError, EnvironmentReader, type EnvironmentVariables } from '../shared/config/environment.ts';
import { type ListedKeys, readListedKeys } from '../shared/config/provider-keys.ts';
import { loadProxyConfig } from '../shared/config/proxy.ts';
import { readOptionalRedisAddress } from '../shared/config/redis.ts';
import { readShutdownBudget, type ShutdownBudget } from '../shared/config/shutdown.ts';
import { withoutUndefined } from '../shared/members.ts';

export const dataDirByDefault = '.data';

const tokensPerSecondMax = 100_000;

export interface LocalConfiguration {
  host: string;
  /** 0 means a free one, picked at every start. */
  proxyPort: number;
  adminPort: number;
  /** Undefined means 8082 or, if that is taken, a free one. */
  demoPort: number | undefined;
  /** For the embedded servers. Undefined means the last start's port or, if that is taken, a free one. */
  postgresPort: number | undefined;
  redisPort: number | undefined;
  dataDir: string;
  /** The user's own services instead of the embedded ones. */
  databaseUrl: string | undefined;
  redisUrl: string | undefined;
  cataloguePath: string | undefined;
  /** Whether mails are sent through a mail server; otherwise they are written to files. */
  sendsMails: boolean;
  /** Secrets set by the user, for which none are generated. */
  givenSecrets: ReadonlySet<string>;
  /** True if npm waits for us: when it is killed, nothing else stops us. */
  endsWithParent: boolean;
  hasColours: boolean;
  /** How long programs may continue their work in flight when they are stopped. */
  shutdown: ShutdownBudget;
  /** Names of variables that hold providers' keys, in addition to those that end in `_API_KEY`. */
  listedKeys: ListedKeys;
  /** The user's environment; each program gets its part of it, before its own settings. */
  inherited: Record<string, string>;
}

export interface DemoProviderConfiguration {
  hostname: string;
  port: number;
  tokensPerSecond: number;
}

export const secretNames = ['JWT_SECRET', 'KEY_PEPPER', 'FILES_SECRET'] as const;

export interface ReadConfiguration {
  /** With defaults in place of malformed values. */
  configuration: LocalConfiguration;
  /** All mistakes in it, and in what the programs read from the same environment. */
  problems: readonly string[];
}

/** Throws nothing: other problems, such as a port that is taken, are reported together with these. */
export function readLocalConfiguration(variables: EnvironmentVariables = process.env): ReadConfiguration {
  const reader = new EnvironmentReader(variables);
  const configuration = {
    host: reader.text('HOST', '127.0.0.1'),
    proxyPort: reader.port('PROXY_PORT', 8080),
    adminPort: reader.port('ADMIN_PORT', 8081),
    demoPort: optionalPort(reader, 'DEMO_PORT'),
    postgresPort: optionalPort(reader, 'POSTGRES_PORT'),
    redisPort: optionalPort(reader, 'REDIS_PORT'),
    dataDir: resolve(reader.text('DATA_DIR', dataDirByDefault)),
    databaseUrl: reader.optionalSecret('DATABASE_URL'),
    redisUrl: reader.optionalSecret('REDIS_URL'),
    cataloguePath: reader.optionalText('GATEWAY_CATALOGUE'),
    sendsMails: reader.isGiven('SMTP_URL'),
    givenSecrets: new Set(secretNames.filter((name) => reader.isGiven(name))),
    endsWithParent: reader.optionalText('npm_lifecycle_event') !== undefined,
    hasColours: reader.optionalText('NO_COLOR') === undefined && reader.optionalText('TERM') !== 'dumb',
    // There is no load balancer that has to notice.
    shutdown: readShutdownBudget(reader, { announceSeconds: 0 }),
    listedKeys: readListedKeys(reader),
    inherited: withoutUndefined(variables),
  };
  if (configuration.databaseUrl !== undefined) {
    reader.secretUrl('DATABASE_URL', { schemes: ['postgres:', 'postgresql:'], meaning: 'the address of Postgres' });
  }
  readOptionalRedisAddress(reader);
  const problems = [...problemsOf(() => reader.assertValid()), ...programProblems(configuration)];
  return { configuration, problems: [...new Set(problems)] };
}

/** What the programs would refuse to start with, detected before the first one is started. */
function programProblems({ databaseUrl, redisUrl, givenSecrets, inherited }: LocalConfiguration): string[] {
  const variables = {
    MAIL_FROM: 'Model Gateway <gateway@example.com>',
    ...inherited,
    ...Object.fromEntries(secretNames.filter((name) => !givenSecrets.has(name)).map((name) => [name, 'x'.repeat(64)])),
    ...(databaseUrl === undefined && { DATABASE_URL: 'postgres://127.0.0.1' }),
    ...(redisUrl === undefined && { REDIS_URL: 'redis://127.0.0.1' }),
  };
  return [loadProxyConfig, loadAdminConfig, loadDemoProviderConfiguration].flatMap((load) =>
    problemsOf(() => load(variables)),
  );
}

function problemsOf(load: () => unknown): readonly string[] {
  try {
    load();
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

export function loadDemoProviderConfiguration(
  variables: EnvironmentVariables = process.env,
): DemoProviderConfiguration {
  const reader = new EnvironmentReader(variables);
  const configuration = {
    // Only for the proxy on the same machine.
    hostname: '127.0.0.1',
    port: reader.port('DEMO_PORT', 8082),
    tokensPerSecond: reader.integer('DEMO_TOKENS_PER_SECOND', { fallback: 40, min: 0, max: tokensPerSecondMax }),
  };
  reader.assertValid();
  return configuration;
}

function optionalPort(reader: EnvironmentReader, name: string): number | undefined {
  return reader.optionalText(name) === undefined ? undefined : reader.port(name, 0);
}
