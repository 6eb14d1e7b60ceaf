/** What payments need: the stores, the configured methods, and the clock. */
import type { Log } from '../../shared/log.ts';
import type { RedisClient } from '../../shared/redis/connect.ts';
import type { WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';
import { Withdrawals } from '../../shared/wallet/withdrawals.ts';
import type { AdminConfig } from '../config/admin.ts';
import type { Database } from '../database/connect.ts';
import type { Seller } from '../documents/seller/read-seller.ts';
import { openMethods, type PaymentMethods } from './methods/methods.ts';

export type PaymentsConfig = Pick<AdminConfig, 'payments' | 'rubPerUsd' | 'cbrUrl' | 'publicUrl'>;

/** For what only concerns Postgres. */
export interface BookingServices {
  readonly config: Omit<PaymentsConfig, 'publicUrl'>;
  readonly database: Database;
  readonly now: () => Date;
}

export interface PaymentServices extends BookingServices {
  readonly config: PaymentsConfig;
  readonly keeper: WalletKeeper;
  readonly withdrawals: Withdrawals;
  readonly methods: PaymentMethods;
  /** Who issues invoices; undefined if there is no `SELLER_FILE`. */
  readonly seller: Seller | undefined;
  readonly log: Log;
}

interface OpenServices {
  readonly config: PaymentsConfig;
  readonly database: Database;
  readonly redis: RedisClient;
  readonly keeper: WalletKeeper;
  readonly seller?: Seller | undefined;
  readonly log: Log;
}

/** Throws ConfigurationError if the variables of a payment method contradict the seller's file. */
export function openPayments({ config, database, redis, keeper, seller, log }: OpenServices): PaymentServices {
  return {
    config,
    database,
    keeper,
    seller,
    log,
    withdrawals: new Withdrawals(redis),
    methods: openMethods({ config, sql: database.sql, seller }),
    now: () => new Date(),
  };
}
