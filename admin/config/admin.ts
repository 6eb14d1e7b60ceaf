/** Admin's configuration, and the part of it that a CLI command needs. */
import { EnvironmentReader, type EnvironmentVariables } from '../../shared/config/environment.ts';
import { readKeyPeppers, secretMinLength } from '../../shared/config/key-peppers.ts';
import { type ObjectPlace, readObjectPlace } from '../../shared/config/object-place.ts';
import { type ListedKeys, readListedKeys } from '../../shared/config/provider-keys.ts';
import { readOptionalRedisAddress, readRedisAddress, readRedisCommandTimeout } from '../../shared/config/redis.ts';
import type { SecretFiles } from '../../shared/config/secret-files.ts';
import { readShutdownBudget, type ShutdownBudget } from '../../shared/config/shutdown.ts';
import { withoutTrailingSlashes } from '../../shared/http/base-url.ts';
import { readMetricsTokens } from '../../shared/http/operational.ts';
import { refuseSource } from '../../shared/http/source-url.ts';
import { type LogLevel, logLevels } from '../../shared/log.ts';
import { parseRubPerUsd, type RubPerUsd } from '../../shared/money.ts';
import type { RedisAddress } from '../../shared/redis/address.ts';
import { type MailConfig, readMailConfig } from './mail.ts';
import { type PaymentConfig, readPaymentConfig } from './payments.ts';

export interface AdminConfig {
  readonly host: string;
  readonly port: number;
  readonly databaseUrl: string;
  readonly redisAddress: RedisAddress;
  readonly redisCommandTimeoutMs: number;
  /** The first signs access tokens; the others are accepted. */
  readonly jwtSecrets: readonly string[];
  /** The first is in use; the others are accepted while keys are hashed again. */
  readonly keyPeppers: readonly string[];
  /** To be read again while the program runs. */
  readonly secretFiles: SecretFiles;
  readonly dataDirectory: string;
  /** Where the charges of past months are; undefined if they all stay in Postgres. */
  readonly archivePlace: ObjectPlace | undefined;
  /** The public URL of admin, without a trailing slash. */
  readonly publicUrl: string;
  /** The public URL of the proxy, to which Swagger UI sends requests; without a trailing slash. */
  readonly proxyPublicUrl: string;
  readonly registrationOpen: boolean;
  /** The exchange rate to use while there is none from the Bank of Russia. */
  readonly rubPerUsd: RubPerUsd;
  /** The Bank of Russia's daily rates; undefined if they are not fetched. */
  readonly cbrUrl: string | undefined;
  readonly priceList: PriceListConfig;
  readonly mail: MailConfig;
  readonly payments: PaymentConfig;
  readonly bodyMaxBytes: number;
  /** How many reverse proxies are in front; their `X-Forwarded-For` contains the caller's address. */
  readonly trustedProxyHops: number;
  /** Which identity providers organizations may name: those at public https addresses, or any. */
  readonly oidcIssuers: 'public' | 'any';
  /** Where webhooks may go: to public https addresses, or anywhere. */
  readonly webhookReach: 'public' | 'any';
  /** `address:port` of the DNS server to ask; undefined for those of the system. */
  readonly dnsServer: string | undefined;
  /** What a catalogue's `apiKeyEnv` may name in addition to variables that end in `_API_KEY`. */
  readonly listedKeys: ListedKeys;
  /** The tokens that /metrics accepts; empty if everyone may read it. */
  readonly metricsTokens: readonly string[];
  readonly shutdown: ShutdownBudget;
  readonly logLevel: LogLevel;
}

/** A published price list that the catalogue is compared with daily. */
export interface PriceListConfig {
  /** Undefined if there is none. */
  readonly url: string | undefined;
  /** Whether lower prices of providers are applied without asking. */
  readonly appliesDecreases: boolean;
}

const mebibyte = 1024 * 1024;
/** https://www.cbr.ru/development/sxml/ */
const cbrDailyRates = 'https://www.cbr.ru/scripts/XML_daily.asp';

/** Throws ConfigurationError with everything that is wrong. */
export function loadAdminConfig(variables: EnvironmentVariables = process.env): AdminConfig {
  const environment = new EnvironmentReader(variables);
  const port = environment.port('ADMIN_PORT', 8081);
  const publicUrl = withoutTrailingSlashes(
    environment.url('PUBLIC_URL', {
      schemes: ['http:', 'https:'],
      meaning: "the dashboard's address",
      fallback: `http://localhost:${port}`,
    }),
  );
  const jwtSecrets = environment.secrets('JWT_SECRET', {
    minLength: secretMinLength,
    meaning: 'the secret that signs access tokens',
  });
  const keyPeppers = readKeyPeppers(environment);
  const metricsTokens = readMetricsTokens(environment);
  const config: AdminConfig = {
    host: environment.text('HOST', '0.0.0.0'),
    port,
    databaseUrl: readDatabaseUrl(environment),
    redisAddress: readRedisAddress(environment),
    redisCommandTimeoutMs: readRedisCommandTimeout(environment),
    get jwtSecrets() {
      return jwtSecrets();
    },
    get keyPeppers() {
      return keyPeppers();
    },
    secretFiles: environment.files,
    dataDirectory: environment.text('DATA_DIR', '.data'),
    archivePlace: readArchivePlace(environment),
    publicUrl,
    proxyPublicUrl: readProxyPublicUrl(environment),
    registrationOpen: environment.oneOf('REGISTRATION', ['open', 'closed'], 'open') === 'open',
    rubPerUsd: readRubPerUsd(environment),
    cbrUrl: readCbrUrl(environment),
    priceList: readPriceListConfig(environment),
    mail: readMailConfig(environment, publicUrl),
    payments: readPaymentConfig(environment),
    bodyMaxBytes: environment.integer('MAX_BODY_BYTES', { fallback: 20 * mebibyte, min: 1024, max: 1024 * mebibyte }),
    trustedProxyHops: environment.integer('TRUSTED_PROXY_HOPS', { fallback: 0, min: 0, max: 10 }),
    oidcIssuers: environment.oneOf('OIDC_ISSUERS', ['public', 'any'], 'public'),
    webhookReach: environment.oneOf('WEBHOOK_ALLOW_PRIVATE', ['true', 'false'], 'false') === 'true' ? 'any' : 'public',
    dnsServer: environment.optionalText('DNS_SERVER'),
    listedKeys: readListedKeys(environment),
    get metricsTokens() {
      return metricsTokens();
    },
    shutdown: readShutdownBudget(environment),
    logLevel: environment.oneOf('LOG_LEVEL', logLevels, 'info'),
  };
  environment.assertValid();
  return config;
}

const commandSettings = {
  databaseUrl: readDatabaseUrl,
  archivePlace: readArchivePlace,
  /** Undefined if the command runs without Redis: then the running admin delivers its changes. */
  redisAddress: readOptionalRedisAddress,
  /** The first is in use. */
  keyPeppers: (environment: EnvironmentReader) => readKeyPeppers(environment)(),
  listedKeys: readListedKeys,
  rubPerUsd: readRubPerUsd,
  cbrUrl: readCbrUrl,
  payments: readPaymentConfig,
};

type CommandSettings = { readonly [Name in keyof typeof commandSettings]: ReturnType<(typeof commandSettings)[Name]> };

/** Only what a command needs, so that it requires nothing else. Throws ConfigurationError. */
export function loadCommandConfig<Name extends keyof CommandSettings>(
  names: readonly Name[],
  variables: EnvironmentVariables = process.env,
): Pick<CommandSettings, Name> {
  const environment = new EnvironmentReader(variables);
  const config = Object.fromEntries(names.map((name) => [name, commandSettings[name](environment)]));
  environment.assertValid();
  return config as Pick<CommandSettings, Name>;
}

/** Whether a variable or the file for it is given, for example one that a catalogue names for a provider's key. */
export function isVariableGiven(name: string, variables: EnvironmentVariables = process.env): boolean {
  return new EnvironmentReader(variables).isGiven(name);
}

/** The user who ran sudo; undefined without sudo. */
export function readSudoUser(variables: EnvironmentVariables = process.env): string | undefined {
  return new EnvironmentReader(variables).optionalText('SUDO_USER');
}

function readProxyPublicUrl(environment: EnvironmentReader): string {
  return withoutTrailingSlashes(
    environment.url('PROXY_PUBLIC_URL', {
      schemes: ['http:', 'https:'],
      meaning: "the proxy's address",
      fallback: `http://localhost:${environment.port('PROXY_PORT', 8080)}`,
    }),
  );
}

function readDatabaseUrl(environment: EnvironmentReader): string {
  return environment.secretUrl('DATABASE_URL', {
    schemes: ['postgres:', 'postgresql:'],
    meaning: 'the Postgres that holds the ledger',
  });
}

function readRubPerUsd(environment: EnvironmentReader): RubPerUsd {
  return environment.parsed('USD_RUB_RATE', {
    fallback: '90',
    parse: parsePositiveRate,
    expected: 'a decimal number above 0 with at most 4 decimals',
  });
}

function readCbrUrl(environment: EnvironmentReader): string | undefined {
  return environment.switchableUrl('CBR_URL', { schemes: ['http:', 'https:'], fallback: cbrDailyRates });
}

function readPriceListConfig(environment: EnvironmentReader): PriceListConfig {
  const url = environment.optionalText('CATALOGUE_SYNC_URL');
  const problem = url === undefined ? undefined : refuseSource(url);
  environment.check(problem === undefined, `CATALOGUE_SYNC_URL ${problem}`);
  const decreases = environment.oneOf('CATALOGUE_SYNC_DECREASES', ['ask', 'apply'], 'ask');
  return { url, appliesDecreases: decreases === 'apply' };
}

function parsePositiveRate(text: string): RubPerUsd {
  const rate = parseRubPerUsd(text);
  if (rate === 0n) throw new RangeError('a rate of 0');
  return rate;
}

function readArchivePlace(environment: EnvironmentReader): ObjectPlace | undefined {
  return readObjectPlace(environment, 'ARCHIVE');
}
