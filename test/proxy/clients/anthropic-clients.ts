/** Shared by the tests with Anthropic's client: customers with a client, requests, and provider responses. */
import Anthropic from '@anthropic-ai/sdk';
import { usageOf } from '../../../local/demo-provider/usage.ts';
import { guardTimeoutMs, readLedger, waitFor } from '../../harness/account-view.ts';
import type { Customer } from '../../harness/customers.ts';
import type { Gateway } from '../../harness/gateway.ts';
import * as completions from '../../harness/providers/completions.ts';
import type { Behaviour } from '../../harness/providers/scripted-provider.ts';

export const hello: Anthropic.MessageParam = { role: 'user', content: 'Hello?' };
export const request = { model: 'test/chat', max_tokens: 100, messages: [hello] };
export const clock: Anthropic.Tool = { name: 'clock', input_schema: { type: 'object', properties: {} } };
const usage = usageOf(20, 10);
/** The cost of 20 and 10 tokens at 0.60 and 1.80 USD per million. */
export const costNano = 30_000n;

type Options = NonNullable<ConstructorParameters<typeof Anthropic>[0]>;

/** Without retries by default. */
export function clientOf(baseURL: string, apiKey: string, options: Options = {}): Anthropic {
  return new Anthropic({ baseURL, apiKey, authToken: null, maxRetries: 0, logLevel: 'off', ...options });
}

export async function startCustomer(
  { harness, proxy }: Gateway,
  usd = '1',
): Promise<{ customer: Customer; client: Anthropic }> {
  const customer = await harness.createCustomer({ usd });
  return { customer, client: clientOf(proxy.url, customer.proxyKey) };
}

/** Waits until nothing is held, and returns what has been spent. */
export function spentAtRest({ harness }: Gateway, { accountId }: Customer): Promise<bigint> {
  return waitFor('the ledger', guardTimeoutMs, async () => {
    const wallet = await harness.keeper.readWallet(accountId);
    const { balanceNano, spentNano } = await readLedger(harness, accountId);
    return wallet?.heldNano === 0n && balanceNano === wallet.availableNano ? spentNano : undefined;
  });
}

export const messageResponse = (message: object, finish = 'stop', counts: object = usage): Behaviour =>
  completions.messageResponse(message, finish, counts);

export const deltasResponse = (deltas: readonly object[], finish = 'stop'): Behaviour =>
  completions.deltasResponse(deltas, finish, usage);
