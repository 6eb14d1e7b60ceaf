/**
 * The environment of the programs that the supervisor starts. Each gets only the settings and secrets that it reads,
 * not another program's.
 */
import { join } from 'node:path';
import { type ProgramName, readersOf } from '../../shared/config/own-variables.ts';
import { refuseKeyName } from '../../shared/config/provider-keys.ts';
import type { LocalConfiguration } from '../configuration.ts';
import { ensureSecrets } from '../data/secrets.ts';
import runtimeEnvironment from '../npm/runtime-environment.json' with { type: 'json' };
import type { Addresses } from './addresses.ts';
import { sellerFileOf } from './seller.ts';

/** Variables of Postgres's own clients, such as PGPASSWORD. */
const postgresClientVariable = /^PG[A-Z]+$/;

export interface ChildEnvironment {
  /** The settings that the supervisor decides, for the operator's command line. */
  own: Record<string, string>;
  /** The variables that a program reads, in addition to those it inherits from the user's environment. */
  of(program: ProgramName): Record<string, string>;
}

export function childEnvironment(options: {
  configuration: LocalConfiguration;
  addresses: Addresses;
  databaseUrl: string;
  redisUrl: string;
}): ChildEnvironment {
  const { configuration, addresses } = options;
  const { dataDir, givenSecrets, inherited } = configuration;
  const own = {
    HOST: addresses.host,
    PROXY_PORT: String(addresses.proxyPort),
    ADMIN_PORT: String(addresses.adminPort),
    DEMO_PORT: String(addresses.demoPort),
    DATA_DIR: dataDir,
    DATABASE_URL: options.databaseUrl,
    REDIS_URL: options.redisUrl,
    MAIL_FROM: inherited.MAIL_FROM ?? `${inherited.MAIL_BRAND_NAME ? '' : 'Model Gateway '}<gateway@example.com>`,
    PROXY_PUBLIC_URL: inherited.PROXY_PUBLIC_URL ?? addresses.proxyUrl,
    PUBLIC_URL: inherited.PUBLIC_URL ?? addresses.adminUrl,
    SHUTDOWN_ANNOUNCE_SECONDS: String(configuration.shutdown.announceMs / 1_000),
    TEST_PAYMENTS: inherited.TEST_PAYMENTS ?? 'true',
    SELLER_FILE: sellerFileOf(configuration),
    ...placeOf(configuration, 'FILES'),
    ...placeOf(configuration, 'ARCHIVE'),
    // Used to validate catalogues.
    ...(inherited.PROVIDER_KEYS === undefined ? {} : { PROVIDER_KEYS: inherited.PROVIDER_KEYS }),
    ...ensureSecrets(join(dataDir, 'secrets.json'), givenSecrets),
  };
  const whole = Object.entries({ ...runtimeEnvironment, ...inherited, ...own });
  return {
    own,
    of: (program) => Object.fromEntries(whole.filter(([name]) => mayHave(program, name, configuration))),
  };
}

/** Objects are stored beside everything else, unless the user has a bucket. */
function placeOf({ dataDir, inherited }: LocalConfiguration, name: 'FILES' | 'ARCHIVE'): Record<string, string> {
  const hasBucket = [`${name}_S3_URL`, `${name}_S3_URL_FILE`].some((variable) => inherited[variable] !== undefined);
  return hasBucket ? {} : { [`${name}_DIR`]: inherited[`${name}_DIR`] ?? join(dataDir, name.toLowerCase()) };
}

function mayHave(program: ProgramName, name: string, { listedKeys }: LocalConfiguration): boolean {
  const readers = readersOf(name);
  if (readers !== undefined) return readers.includes(program);
  if (refuseKeyName(name, listedKeys) === undefined) return program === 'proxy';
  return program === 'admin' || !postgresClientVariable.test(name);
}
