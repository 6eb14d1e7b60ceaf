/** What each row of the registry does (shared/payment-methods.ts). A further method is a row there, a folder here and a line. */
import { type PaymentMethodId, paymentMethods } from '../../../shared/payment-methods.ts';
import { invoiceMethod } from './invoice/invoice.ts';
import type { MethodContext, MethodFactory, PaymentMethod } from './payment-method.ts';
import { stripeMethod } from './stripe/stripe.ts';
import { testMethod } from './trial/test-method.ts';
import { yookassaMethod } from './yookassa/yookassa.ts';

const factories: Readonly<Record<PaymentMethodId, MethodFactory>> = {
  invoice: invoiceMethod,
  yookassa: yookassaMethod,
  stripe: stripeMethod,
  test: testMethod,
};

/** By id. */
export type PaymentMethods = ReadonlyMap<string, PaymentMethod>;

/** Those whose variables are set. */
export function openMethods(context: MethodContext): PaymentMethods {
  const methods = paymentMethods.map(({ id }) => factories[id](context)).filter((method) => method !== undefined);
  return new Map(methods.map((method) => [method.id, method]));
}
