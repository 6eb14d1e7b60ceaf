/** How a method comes to be: from the configuration, if its variables are set. */
import type { Sql } from 'postgres';
import type { PaymentConfig } from '../../../shared/config/payments.ts';
import type { PaymentMethod } from './payment-method.ts';

export interface MethodContext {
  readonly config: { readonly payments: PaymentConfig; readonly publicUrl: string };
  readonly sql: Sql;
}

export type MethodFactory = (context: MethodContext) => PaymentMethod | undefined;
