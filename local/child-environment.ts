/** The environment of the programs that the supervisor starts. */
import { join } from 'node:path';
import type { LocalConfiguration } from '../shared/config/local.ts';
import type { Addresses } from './addresses.ts';
import { ensureSecrets } from './secrets.ts';

/** Bun's `fetch` allows 256 requests at once unless this is set before Bun starts. */
const maxHttpRequests = '65535';

export interface ChildEnvironment {
  /** What the supervisor itself decides. */
  own: Record<string, string>;
  /** The same on top of the user's environment, which has the providers' keys. */
  whole: Record<string, string>;
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
    MAIL_FROM: inherited.MAIL_FROM ?? 'Model Gateway <gateway@example.com>',
    PROXY_PUBLIC_URL: inherited.PROXY_PUBLIC_URL ?? addresses.proxyUrl,
    PUBLIC_URL: inherited.PUBLIC_URL ?? addresses.adminUrl,
    BUN_CONFIG_MAX_HTTP_REQUESTS: maxHttpRequests,
    ...ensureSecrets(join(dataDir, 'secrets.json'), givenSecrets),
  };
  return { own, whole: { ...inherited, ...own } };
}
