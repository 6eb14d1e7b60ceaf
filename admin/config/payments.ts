/** How customers can pay: the keys of each payment method, limits, and the margin on the rate of exchange. */
import type { EnvironmentReader } from '../../shared/config/environment.ts';
import { withoutTrailingSlashes } from '../../shared/http/base-url.ts';
import { type NanoUsd, parseUsd } from '../../shared/money.ts';
import { type PartsPerMillion, parsePercent } from '../money/payment-money.ts';

export interface YookassaConfig {
  readonly shopId: string;
  /** The one in use now: its file is read again while the program runs. */
  readonly secretKey: string;
  /** Without a trailing slash. */
  readonly apiUrl: string;
  /** The code of an advance's VAT in receipts (54-ФЗ), and that of what was used; undefined if the seller's file says it. */
  readonly vatCode: number | undefined;
  readonly offsetVatCode: number | undefined;
  /** Undefined if the shop has one tax system. */
  readonly taxSystemCode: number | undefined;
  /** Whether receipts offset what was used. */
  readonly hasOffsetReceipts: boolean;
}

export interface StripeConfig {
  /** As YooKassa's. */
  readonly secretKey: string;
  /** A notification may be signed with any of them. */
  readonly webhookSecrets: readonly string[];
  readonly apiUrl: string;
}

export interface PaymentConfig {
  /** Undefined for methods whose variables are not set. */
  readonly yookassa: YookassaConfig | undefined;
  readonly stripe: StripeConfig | undefined;
  /** The path of the file that describes the seller; undefined without bank transfers. */
  readonly sellerFile: string | undefined;
  /** A page that asks whether the payment succeeds. Only `npm start` sets it. */
  readonly hasTestMethod: boolean;
  readonly minNano: NanoUsd;
  readonly maxNano: NanoUsd;
  readonly marginPpm: PartsPerMillion;
  /** The months of usage are those of this zone. */
  readonly billingTimeZone: string;
}

const schemes = ['http:', 'https:'] as const;
const percentMax = parsePercent('100');

export function readPaymentConfig(environment: EnvironmentReader): PaymentConfig {
  const config = {
    yookassa: readYookassa(environment),
    stripe: readStripe(environment),
    sellerFile: environment.optionalText('SELLER_FILE'),
    hasTestMethod: environment.oneOf('TEST_PAYMENTS', ['true', 'false'], 'false') === 'true',
    minNano: readLimit(environment, 'PAYMENT_MIN_USD', '1'),
    maxNano: readLimit(environment, 'PAYMENT_MAX_USD', '10000'),
    marginPpm: environment.parsed('FX_MARGIN_PERCENT', {
      fallback: '0',
      parse: parseMargin,
      expected: 'a percentage from 0 to 100 with at most 4 decimals',
    }),
    billingTimeZone: environment.parsed('BILLING_TIME_ZONE', {
      fallback: 'Europe/Moscow',
      parse: (zone) => new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone,
      expected: 'a time zone such as Europe/Moscow',
    }),
  };
  environment.check(config.minNano <= config.maxNano, 'PAYMENT_MIN_USD must not exceed PAYMENT_MAX_USD');
  return config;
}

function readYookassa(environment: EnvironmentReader): YookassaConfig | undefined {
  const shopId = environment.optionalText('YOOKASSA_SHOP_ID');
  const secretKeys = environment.optionalSecrets('YOOKASSA_SECRET_KEY');
  const apiUrl = readUrl(environment, 'YOOKASSA_API_URL', 'https://api.yookassa.ru/v3');
  // 0 is unset.
  const vatCode = environment.integer('YOOKASSA_VAT_CODE', { fallback: 0, min: 1, max: 99 });
  const hasOffsetReceipts = environment.oneOf('YOOKASSA_OFFSET_RECEIPTS', ['true', 'false'], 'false') === 'true';
  const offsetVatCode = environment.integer('YOOKASSA_OFFSET_VAT_CODE', { fallback: 0, min: 1, max: 99 });
  const taxSystem = environment.integer('YOOKASSA_TAX_SYSTEM', { fallback: 0, min: 0, max: 6 });
  environment.check(
    (shopId === undefined) === (secretKeys === undefined),
    'YOOKASSA_SHOP_ID and YOOKASSA_SECRET_KEY belong together: set both, or neither',
  );
  if (shopId === undefined || secretKeys === undefined) return undefined;
  return {
    shopId,
    get secretKey() {
      return secretKeys()[0] ?? '';
    },
    apiUrl,
    vatCode: vatCode || undefined,
    offsetVatCode: offsetVatCode || undefined,
    taxSystemCode: taxSystem || undefined,
    hasOffsetReceipts,
  };
}

function readStripe(environment: EnvironmentReader): StripeConfig | undefined {
  const secretKeys = environment.optionalSecrets('STRIPE_SECRET_KEY');
  const webhookSecrets = environment.optionalSecrets('STRIPE_WEBHOOK_SECRET');
  const apiUrl = readUrl(environment, 'STRIPE_API_URL', 'https://api.stripe.com');
  environment.check(
    (secretKeys === undefined) === (webhookSecrets === undefined),
    'STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET belong together: set both, or neither',
  );
  if (secretKeys === undefined || webhookSecrets === undefined) return undefined;
  return {
    apiUrl,
    get secretKey() {
      return secretKeys()[0] ?? '';
    },
    get webhookSecrets() {
      return webhookSecrets();
    },
  };
}

function readUrl(environment: EnvironmentReader, name: string, fallback: string): string {
  return withoutTrailingSlashes(environment.url(name, { schemes, meaning: "the provider's API", fallback }));
}

function readLimit(environment: EnvironmentReader, name: string, fallback: string): NanoUsd {
  return environment.parsed(name, { fallback, parse: parsePositive, expected: 'an amount in USD above 0' });
}

function parsePositive(text: string): NanoUsd {
  const amount = parseUsd(text);
  if (amount === 0n) throw new RangeError('an amount of 0');
  return amount;
}

function parseMargin(text: string): PartsPerMillion {
  const margin = parsePercent(text);
  if (margin > percentMax) throw new RangeError('more than 100 percent');
  return margin;
}
