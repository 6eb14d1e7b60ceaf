/**
 * Bank transfer: there is no provider. The customer transfers the money, and an operator confirms it once the bank has it.
 * A refund is a transfer that the operator has made.
 */
import { bankTransfer } from '../../../../shared/payment-methods.ts';
import type { MethodFactory } from '../payment-method.ts';

const validDays = 14;
const dayMs = 86_400_000;

export const invoiceMethod: MethodFactory = ({ config }) =>
  config.payments.sellerFile === undefined
    ? undefined
    : {
        id: bankTransfer,
        currencies: ['RUB'],
        isCard: false,
        needsCompany: true,
        isPolled: false,
        savesCards: false,
        offsetReceipts: undefined,
        lifetimeMs: validDays * dayMs,
        create: async () => ({ reference: null, confirmationUrl: null }),
        query: async () => undefined,
        refund: async () => ({ state: 'succeeded', reference: null, problem: null }),
        findRefund: async () => undefined,
        readNotification: async () => undefined,
        check: async () => 'operators confirm transfers',
      };
