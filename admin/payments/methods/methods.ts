/** All payment methods. A further one is a folder beside these and a line here. */
import { invoiceMethod } from './invoice/invoice.ts';
import type { MethodContext, MethodFactory, PaymentMethod } from './payment-method.ts';
import { stripeMethod } from './stripe/stripe.ts';
import { testMethod } from './trial/test-method.ts';
import { yookassaMethod } from './yookassa/yookassa.ts';

const factories: readonly MethodFactory[] = [invoiceMethod, yookassaMethod, stripeMethod, testMethod];

/** By id. */
export type PaymentMethods = ReadonlyMap<string, PaymentMethod>;

/** Those whose variables are set. */
export function openMethods(context: MethodContext): PaymentMethods {
  const methods = factories.map((open) => open(context)).filter((method) => method !== undefined);
  return new Map(methods.map((method) => [method.id, method]));
}
