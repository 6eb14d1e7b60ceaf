/** What documents need: who issues them, the zone of their days, Postgres, and the clock. */
import { GatewayError } from '../../shared/errors.ts';
import type { RubKopecks } from '../../shared/money.ts';
import type { PaymentConfig } from '../config/payments.ts';
import type { Database } from '../database/connect.ts';
import { formatMinorUnits, includedTax, minorUnits, parsePercent } from '../money/payment-money.ts';
import type { Vat } from './document-data.ts';
import { hasVatOn, type Seller } from './seller/read-seller.ts';

export interface DocumentServices {
  readonly config: { readonly payments: Pick<PaymentConfig, 'billingTimeZone'> };
  readonly database: Database;
  /** Undefined if there is no `SELLER_FILE`. */
  readonly seller: Seller | undefined;
  readonly now: () => Date;
}

/** What a document is made with, inside a transaction. */
export interface Issuing {
  readonly seller: Seller;
  readonly billingTimeZone: string;
  readonly now: Date;
}

/** Throws GatewayError `documents_unavailable` if there is no seller. */
export function prepareIssuing({ config, seller, now }: Omit<DocumentServices, 'database'>): Issuing {
  if (seller === undefined) throw documentsUnavailable();
  return { seller, billingTimeZone: config.payments.billingTimeZone, now: now() };
}

/** The members of a document of this date that depend on the seller's tax. */
export function taxOf(
  seller: Seller,
  { kopecks, date }: { readonly kopecks: RubKopecks; readonly date: string },
): { readonly vat?: Vat } {
  const { vat } = seller;
  if (vat === undefined || !hasVatOn(seller, date)) return {};
  return { vat: { rate: vat, amount: roubles(includedTax(kopecks, parsePercent(vat))) } };
}

/** `1000.00`, as documents keep amounts. */
export function roubles(kopecks: bigint): string {
  return formatMinorUnits(minorUnits(kopecks));
}

export function documentsUnavailable(): GatewayError {
  return new GatewayError(
    'documents_unavailable',
    'This gateway issues no accounting documents: no seller is configured.',
  );
}
