/** What YooKassa needs to make a receipt of 54-ФЗ: its customer, and one item, a service. */
import type { YookassaConfig } from '../../../config/payments.ts';
import { formatMinorUnits, type MinorUnits } from '../../../money/payment-money.ts';

interface ReceiptContent {
  readonly amountMinor: MinorUnits;
  readonly currency: string;
  readonly description: string;
  readonly email: string;
  readonly vatCode: number;
  /** `advance`: it is paid before it is used. `full_payment`: it was used, and the advance pays for it. */
  readonly mode: 'advance' | 'full_payment';
}

/** Longer texts are refused. */
const descriptionMaxLength = 128;

export function receiptBody(content: ReceiptContent, { taxSystemCode }: YookassaConfig) {
  return {
    customer: { email: content.email },
    items: [
      {
        description: cutDescription(content.description),
        quantity: '1.00',
        amount: amountOf(content),
        vat_code: content.vatCode,
        payment_subject: 'service',
        payment_mode: content.mode,
      },
    ],
    ...(taxSystemCode !== undefined && { tax_system_code: taxSystemCode }),
  };
}

export function cutDescription(description: string): string {
  return description.slice(0, descriptionMaxLength);
}

export function amountOf({ amountMinor, currency }: { amountMinor: MinorUnits; currency: string }) {
  return { value: formatMinorUnits(amountMinor), currency };
}
