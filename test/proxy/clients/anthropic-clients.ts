/** Shared by the tests with Anthropic's client: customers with a client, requests, and provider responses. */
import Anthropic from '@anthropic-ai/sdk';
import { readLedger, waitFor } from '../../harness/account-view.ts';
import type { Customer } from '../../harness/customers.ts';
import type { Gateway } from '../../harness/gateway.ts';
import { type Behaviour, rawResponse } from '../../harness/providers/scripted-provider.ts';

export const hello: Anthropic.MessageParam = { role: 'user', content: 'Hello?' };
export const request = { model: 'test/chat', max_tokens: 100, messages: [hello] };
export const clock: Anthropic.Tool = { name: 'clock', input_schema: { type: 'object', properties: {} } };
const usage = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 };
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
  return waitFor('the ledger', 5_000, async () => {
    const wallet = await harness.keeper.readWallet(accountId);
    const { balanceNano, spentNano } = await readLedger(harness, accountId);
    return wallet?.heldNano === 0n && balanceNano === wallet.availableNano ? spentNano : undefined;
  });
}

export function messageResponse(message: object, finish = 'stop', counts: object = usage): Behaviour {
  const choices = [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: finish }];
  return rawResponse(JSON.stringify({ ...head('chat.completion'), choices, usage: counts }));
}

export function deltasResponse(deltas: readonly object[], finish = 'stop'): Behaviour {
  const chunk = (members: object) => `data: ${JSON.stringify({ ...head('chat.completion.chunk'), ...members })}\n\n`;
  const choice = (delta: object, finish_reason: string | null) => ({ choices: [{ index: 0, delta, finish_reason }] });
  const chunks = [
    chunk(choice({ role: 'assistant', content: '' }, null)),
    ...deltas.map((delta) => chunk(choice(delta, null))),
    chunk(choice({}, finish)),
    chunk({ choices: [], usage }),
    'data: [DONE]\n\n',
  ];
  return rawResponse(chunks.join(''), 'text/event-stream');
}

const head = (object: string) => ({ id: 'c', object, created: 1, model: 'scripted-model' });
