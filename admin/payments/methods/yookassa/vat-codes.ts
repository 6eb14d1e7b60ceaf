/**
 * The VAT of YooKassa's receipts, in its codes (https://yookassa.ru/developers/54fz/parameters-values#vat-codes). They
 * follow from the seller's file, like the VAT of documents. The variables are for shops without such a file, and for rates
 * that have no code here.
 */
import { ConfigurationError } from '../../../../shared/config/environment.ts';
import type { YookassaConfig } from '../../../config/payments.ts';
import { hasVatOn, type Seller } from '../../../documents/seller/read-seller.ts';

interface VatCodes {
  /** Of money that is paid before it is used, as a part of it: 22/122. */
  readonly advance: number;
  /** Of what was used: 22 %. */
  readonly service: number;
}

const withoutVat: VatCodes = { advance: 1, service: 1 };
/** By rate in percent. */
const codesOf: Readonly<Record<string, VatCodes>> = {
  '5': { advance: 9, service: 7 },
  '7': { advance: 10, service: 8 },
  '10': { advance: 5, service: 3 },
  '20': { advance: 6, service: 4 },
  '22': { advance: 12, service: 11 },
};

export class ReceiptVat {
  readonly #seller: Seller | undefined;
  readonly #codes: VatCodes;

  /** Throws ConfigurationError if a variable contradicts the seller's file, or is needed and missing. */
  constructor(config: Pick<YookassaConfig, 'vatCode' | 'offsetVatCode' | 'hasOffsetReceipts'>, seller?: Seller) {
    this.#seller = seller;
    this.#codes = chooseCodes(config, seller);
  }

  /** Of a day in the billing time zone, such as `2026-10-31`. */
  on(day: string): VatCodes {
    return this.#seller === undefined || hasVatOn(this.#seller, day) ? this.#codes : withoutVat;
  }
}

function chooseCodes(
  {
    vatCode,
    offsetVatCode,
    hasOffsetReceipts,
  }: Pick<YookassaConfig, 'vatCode' | 'offsetVatCode' | 'hasOffsetReceipts'>,
  seller: Seller | undefined,
): VatCodes {
  const rate = seller?.vat;
  const known = rate === undefined ? withoutVat : codesOf[rate];
  const given = [
    ['YOOKASSA_VAT_CODE', vatCode, known?.advance],
    ['YOOKASSA_OFFSET_VAT_CODE', offsetVatCode, known?.service],
  ] as const;
  const problems: string[] = [];
  for (const [variable, code, expected] of given) {
    const isNeeded = variable === 'YOOKASSA_VAT_CODE' || hasOffsetReceipts;
    if (seller !== undefined && code !== undefined && expected !== undefined && code !== expected) {
      problems.push(`${variable} is ${code}, but ${saying(rate)}, whose code is ${expected}: unset the variable`);
    } else if (known === undefined && code === undefined && isNeeded) {
      problems.push(`${variable} is missing: ${saying(rate)}, whose code is not known`);
    }
  }
  // Without a file, the code of an advance says nothing about that of the service.
  if (seller === undefined && hasOffsetReceipts && offsetVatCode === undefined && (vatCode ?? 1) !== 1) {
    problems.push(
      'YOOKASSA_OFFSET_VAT_CODE is missing: the code of the VAT of a service, for YOOKASSA_OFFSET_RECEIPTS',
    );
  }
  if (problems.length > 0) throw new ConfigurationError(problems);
  const { advance, service } = known ?? withoutVat;
  return { advance: vatCode ?? advance, service: offsetVatCode ?? service };
}

function saying(rate: string | undefined): string {
  return rate === undefined ? 'SELLER_FILE says that there is no VAT' : `SELLER_FILE has a VAT of ${rate} %`;
}
