/** What documents need: who issues them, the zone of their days, Postgres, and the clock. */
import type { PaymentConfig } from '../../shared/config/payments.ts';
import { GatewayError } from '../../shared/errors.ts';
import type { RubKopecks } from '../../shared/money.ts';
import { formatMinorUnits, includedTax, minorUnits, parsePercent } from '../../shared/payment-money.ts';
import type { Database } from '../database/connect.ts';
import type { Vat } from './document-data.ts';
import { readSeller, type Seller } from './seller/read-seller.ts';

export interface DocumentConfig {
  readonly payments: Pick<PaymentConfig, 'sellerFile' | 'billingTimeZone'>;
}

export interface DocumentServices {
  readonly config: DocumentConfig;
  readonly database: Database;
  readonly now: () => Date;
}

/** What a document is made with, inside a transaction. */
export interface Issuing {
  readonly seller: Seller;
  readonly billingTimeZone: string;
  readonly now: Date;
}

/** Reads the seller's file. Throws GatewayError `documents_unavailable` if there is none. */
export function prepareIssuing({ config, now }: Pick<DocumentServices, 'config' | 'now'>): Issuing {
  const { sellerFile, billingTimeZone } = config.payments;
  if (sellerFile === undefined) throw documentsUnavailable();
  return { seller: readSeller(sellerFile), billingTimeZone, now: now() };
}

/** The members of a document that depend on the seller's tax. */
export function taxOf({ vat }: Seller, kopecks: RubKopecks): { readonly vat?: Vat } {
  return vat === undefined ? {} : { vat: { rate: vat, amount: roubles(includedTax(kopecks, parsePercent(vat))) } };
}

/** `1000.00`, as documents keep amounts. */
export function roubles(kopecks: bigint): string {
  return formatMinorUnits(minorUnits(kopecks));
}

export function documentsUnavailable(): GatewayError {
  return new GatewayError('documents_unavailable', 'This gateway issues no accounting documents: it names no seller.');
}
