/**
 * The gateway's own environment variables, and the programs that read each. No catalogue can use one as a provider's
 * key, and `npm start` gives a program only those that it reads. `NAME_FILE` belongs to the programs that read `NAME`.
 */

import { rateLimits } from '../limits/rate-limits.ts';
import { recordOf } from '../members.ts';

export type ProgramName = 'proxy' | 'admin' | 'demo-provider';

const everyServer = ['proxy', 'admin'] as const;

const readers: Readonly<Record<string, readonly ProgramName[]>> = {
  HOST: everyServer,
  // Admin reads them for the addresses that it displays.
  PROXY_PORT: everyServer,
  ADMIN_PORT: ['admin'],
  PROVIDER_CLIENT: ['proxy'],
  PROXY_REUSE_PORT: ['proxy'],
  DATABASE_URL: ['admin'],
  REDIS_URL: everyServer,
  REDIS_COMMAND_TIMEOUT_MS: everyServer,
  PROVIDER_KEYS: everyServer,
  METRICS_TOKEN: everyServer,
  OTEL_EXPORTER_OTLP_ENDPOINT: ['proxy'],
  JWT_SECRET: ['admin'],
  KEY_PEPPER: everyServer,
  DATA_DIR: ['admin'],
  GATEWAY_CATALOGUE: [],
  // For the servers that `npm start` embeds.
  POSTGRES_PORT: [],
  REDIS_PORT: [],
  DEMO_PORT: ['demo-provider'],
  DEMO_TOKENS_PER_SECOND: ['demo-provider'],
  CATALOGUE_SYNC_URL: ['admin'],
  CATALOGUE_SYNC_DECREASES: ['admin'],
  CBR_URL: ['admin'],
  USD_RUB_RATE: ['admin'],
  SMTP_URL: ['admin'],
  MAIL_FROM: ['admin'],
  MAIL_BRAND_NAME: ['admin'],
  MAIL_LOGO_URL: ['admin'],
  MAIL_SUPPORT_ADDRESS: ['admin'],
  MAIL_LEGAL_LINE: ['admin'],
  YOOKASSA_SHOP_ID: ['admin'],
  YOOKASSA_SECRET_KEY: ['admin'],
  YOOKASSA_API_URL: ['admin'],
  YOOKASSA_VAT_CODE: ['admin'],
  YOOKASSA_TAX_SYSTEM: ['admin'],
  YOOKASSA_OFFSET_RECEIPTS: ['admin'],
  YOOKASSA_OFFSET_VAT_CODE: ['admin'],
  STRIPE_SECRET_KEY: ['admin'],
  STRIPE_WEBHOOK_SECRET: ['admin'],
  STRIPE_API_URL: ['admin'],
  SELLER_FILE: ['admin'],
  TEST_PAYMENTS: ['admin'],
  PAYMENT_MIN_USD: ['admin'],
  PAYMENT_MAX_USD: ['admin'],
  FX_MARGIN_PERCENT: ['admin'],
  BILLING_TIME_ZONE: ['admin'],
  PROXY_PUBLIC_URL: ['admin'],
  PUBLIC_URL: everyServer,
  REGISTRATION: ['admin'],
  OIDC_ISSUERS: ['admin'],
  WEBHOOK_ALLOW_PRIVATE: ['admin'],
  DNS_SERVER: ['admin'],
  TRUSTED_PROXY_HOPS: everyServer,
  EXPOSE_DEPLOYMENTS: ['proxy'],
  MAX_BODY_BYTES: everyServer,
  CACHE_MAX_BYTES: ['proxy'],
  MAX_BODIES_BYTES: ['proxy'],
  ARCHIVE_DIR: ['admin'],
  ARCHIVE_S3_URL: ['admin'],
  FILES_DIR: ['proxy'],
  FILES_S3_URL: ['proxy'],
  FILES_SECRET: ['proxy'],
  FILES_MAX_BYTES: ['proxy'],
  BATCH_CONCURRENCY: ['proxy'],
  ...recordOf(rateLimits, ({ variable }) => [variable, ['proxy'] as const]),
  SHUTDOWN_ANNOUNCE_SECONDS: everyServer,
  SHUTDOWN_GRACE_SECONDS: everyServer,
  LOG_LEVEL: everyServer,
};

export const ownVariables: readonly string[] = Object.keys(readers);

/** Those that can be in a file, which `NAME_FILE` names. */
export const secretVariables: readonly string[] = [
  'DATABASE_URL',
  'REDIS_URL',
  'METRICS_TOKEN',
  'JWT_SECRET',
  'KEY_PEPPER',
  'ARCHIVE_S3_URL',
  'FILES_S3_URL',
  'FILES_SECRET',
  'SMTP_URL',
  'YOOKASSA_SECRET_KEY',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
];

/** Undefined if the variable is not one of ours. */
export function readersOf(variable: string): readonly ProgramName[] | undefined {
  // SELLER_FILE is a variable of its own, not the file of a secret.
  const name = Object.hasOwn(readers, variable) ? variable : variable.replace(/_FILE$/, '');
  return Object.hasOwn(readers, name) ? readers[name] : undefined;
}
