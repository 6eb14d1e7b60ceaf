/**
 * Every catalogue, every price and every exchange rate that was ever in effect. Append-only; the newest catalogue is
 * published to Redis.
 */
import { sql } from 'drizzle-orm';
import { bigint, boolean, date, index, json, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core';
import type { StoredImagePrice } from '../../../shared/usage/image-prices.ts';
import type { StoredRate } from '../../../shared/usage/rate-prices.ts';
import { priceColumns } from './price-columns.ts';

export const catalogueVersions = pgTable('catalogue_versions', {
  version: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  /** The catalogue file as it was applied, validated; prices in it are decimal strings. */
  file: json().$type<unknown>().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
});

/** Catalogues that take effect at a set time. A worker applies each, unless it is cancelled before. */
export const scheduledCatalogues = pgTable(
  'scheduled_catalogues',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** Validated, as in `catalogue_versions`. */
    file: json().$type<unknown>().notNull(),
    effectiveFrom: timestamp('effective_from', { withTimezone: true }).notNull(),
    state: text({ enum: ['waiting', 'applied', 'cancelled'] })
      .notNull()
      .default('waiting'),
    /** The version it became when it was applied. */
    version: bigint({ mode: 'number' }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [index('scheduled_catalogues_waiting').on(table.effectiveFrom).where(sql`${table.state} = 'waiting'`)],
);

/** Prices in pico-USD per token, and of images. The listed ones include the markup and are what customers pay. */
export const modelPrices = pgTable(
  'model_prices',
  {
    version: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    model: text().notNull(),
    /** In millionths: 1_200_000 is a markup of 1.20. */
    markup: bigint({ mode: 'bigint' }).notNull(),
    ...priceColumns(),
    /** Null for a model that makes no images. */
    imagePrices: jsonb('image_prices').$type<readonly StoredImagePrice[]>(),
    /** For long prompts and other service tiers. Null for a model that has only its usual prices. */
    rates: jsonb().$type<readonly StoredRate[]>(),
    effectiveFrom: timestamp('effective_from', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [index('model_prices_model').on(table.model, table.version.desc())],
);

/** Rates of the Bank of Russia, one row per date. The newest is in effect until a newer one is stored. */
export const exchangeRates = pgTable('exchange_rates', {
  /** The date that the bank set the rate for. */
  date: date({ mode: 'string' }).primaryKey(),
  /** Roubles for one US dollar in ten-thousandths, the bank's own precision. */
  rubPerUsd: bigint('rub_per_usd', { mode: 'bigint' }).notNull(),
  /** When the bank last returned it. */
  readAt: timestamp('read_at', { withTimezone: true }).notNull(),
});

/** The rate that was in effect on a past day, as the bank reported later. */
export const ratesOfDays = pgTable('rates_of_days', {
  day: date({ mode: 'string' }).primaryKey(),
  /** The date that the bank set it for: the day itself, or the last working day before. */
  date: date({ mode: 'string' }).notNull(),
  rubPerUsd: bigint('rub_per_usd', { mode: 'bigint' }).notNull(),
});

/** Comparisons with the price list of CATALOGUE_SYNC_URL, and attempts at them. Deleted after 90 days. */
export const priceListChecks = pgTable(
  'price_list_checks',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    url: text().notNull(),
    state: text({ enum: ['running', 'compared', 'failed'] }).notNull(),
    startedAt: timestamp('started_at', { withTimezone: true }).notNull(),
    /** Why it has failed. */
    error: text(),
    /** What the list said differently after it was applied in part; null unless it was compared. */
    comparison: jsonb().$type<unknown>(),
    /** What was applied without asking, and as which version of the catalogue. */
    applied: jsonb().$type<unknown>(),
    appliedVersion: bigint('applied_version', { mode: 'number' }),
    /** Whether operators were mailed about it. */
    isAnnounced: boolean('is_announced').notNull().default(false),
  },
  (table) => [index('price_list_checks_url').on(table.url, table.id)],
);
