/** Whether customers can pay: asks each configured provider whether our keys work. */
import { ConfigurationError } from '../../../../../shared/config/environment.ts';
import { testPayment } from '../../../../../shared/payment-methods.ts';
import { loadCommandConfig } from '../../../../config/admin.ts';
import { connectDatabase } from '../../../../database/connect.ts';
import { readSellerOf } from '../../../../documents/seller/read-seller.ts';
import { openMethods } from '../../../../payments/methods/methods.ts';
import { type PaymentMethod, ProviderError } from '../../../../payments/methods/payment-method.ts';
import type { Finding } from './finding.ts';

export async function checkPayments(): Promise<Finding[]> {
  try {
    const config = { ...loadCommandConfig(['payments', 'databaseUrl']), publicUrl: '' };
    // Connects only when it is asked something, which no check does.
    const database = connectDatabase(config.databaseUrl, { connections: 1 });
    try {
      const methods = openMethods({ config, sql: database.sql, seller: readSellerOf(config.payments) });
      return await Promise.all([...methods.values()].map(checkMethod));
    } finally {
      await database.close();
    }
  } catch (error) {
    // The configuration check reports what is wrong with the variable.
    if (error instanceof ConfigurationError) return [];
    throw error;
  }
}

async function checkMethod(method: PaymentMethod): Promise<Finding> {
  const check = `payment ${method.id}`;
  try {
    const detail = await method.check();
    if (method.id !== testPayment) return { check, status: 'ok', detail };
    return { check, status: 'warn', detail, advice: 'Anyone can top up without paying: unset TEST_PAYMENTS.' };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const advice =
      error.kind !== 'unavailable'
        ? 'Check the shop and its keys in the settings of the provider.'
        : "Check that the provider's API can be reached from here.";
    return { check, status: 'fail', detail: error.message, advice };
  }
}
