/** Customers of a gateway, each with a balance and an OpenAI client that never retries. */
import OpenAI from 'openai';
import type { Customer } from '../customers.ts';
import type { Gateway } from '../gateway.ts';

export type NewCustomer = (usd?: string) => Promise<{ readonly customer: Customer; readonly client: OpenAI }>;

export function customersOf({ harness, proxy }: Gateway): NewCustomer {
  return async (usd = '10') => {
    const customer = await harness.createCustomer({ usd });
    const client = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: customer.proxyKey, maxRetries: 0 });
    return { customer, client };
  };
}
