/** Providers that fail, cut streams, or are slow; and requests that were sent to them in vain. */
import { waitFor } from '../../../harness/account-view.ts';
import { chat } from '../../../harness/clients/chat.ts';
import type { Customer } from '../../../harness/customers.ts';
import {
  type Behaviour,
  failWith,
  type ScriptedProvider,
  streamedResponse,
  wholeResponse,
} from '../../../harness/providers/scripted-provider.ts';
import type { Product } from '../product/product.ts';
import type { Slot } from '../product/slot.ts';
import type { Fault } from './fault.ts';

const slowMs = 12_000;
const keysRevoked = 3;
const burst = 40;
const revokeTimeoutMs = 10_000;

const stream = { tokens: 20, promptTokens: 10, usage: true, delayMs: 60 };
const whole = wholeResponse({ usage: { promptTokens: 10, completionTokens: 5 }, delayMs: 20 });
const wholeStream = streamedResponse(stream);

/** Everything works. */
export function behaveWell(provider: ScriptedProvider): void {
  provider.on('upstream-chat', whole);
  for (const model of ['upstream-first', 'upstream-second']) provider.on(model, wholeStream);
}

export const providerFaults: readonly Fault[] = [
  {
    name: 'a provider returns 500 for every fourth request',
    fires: ['ManyServerErrors', 'DeploymentFailing'],
    begin: behaves('upstream-chat', everyFourth(failWith(500, 'down'), whole)),
  },
  {
    name: 'the only provider of a model is down',
    fires: ['NoHealthyDeployment', 'DeploymentOpen'],
    mayFire: ['ManyServerErrors', 'DeploymentFailing'],
    begin: behaves('upstream-chat', failWith(500, 'down')),
  },
  {
    name: 'a provider cuts every fourth stream',
    fires: ['ManyBrokenStreams'],
    begin: behaves(
      'upstream-first',
      everyFourth(streamedResponse({ ...stream, after: { tokens: 10, ends: 'cut' } }), wholeStream),
    ),
  },
  {
    name: 'a provider begins to answer after 12 s',
    fires: ['SlowFirstToken'],
    firesWithinMs: 120_000,
    begin: behaves('upstream-first', async (truth, request) => {
      await Bun.sleep(slowMs);
      return wholeStream(truth, request);
    }),
  },
  {
    name: 'keys are revoked in the middle of a burst of requests',
    fires: ['ConfidenceLost'],
    begin: async (product) => {
      const accounts = await Promise.all(Array.from({ length: keysRevoked }, product.openAccount));
      for (const account of accounts) await revokeAmidRequests(product, account);
      return async () => {};
    },
  },
];

function everyFourth(bad: Behaviour, good: Behaviour): Behaviour {
  let requests = 0;
  return (truth, request) => {
    requests += 1;
    return (requests % 4 === 0 ? bad : good)(truth, request);
  };
}

function behaves(model: string, behaviour: Behaviour): Fault['begin'] {
  return async ({ provider }) => {
    provider.on(model, behaviour);
    return async () => behaveWell(provider);
  };
}

/** Both proxies have just seen that the key is valid, and send the burst before they learn that it no longer is. */
async function revokeAmidRequests({ proxies, admins }: Product, account: Customer): Promise<void> {
  const ask = (proxy: Slot) => chat(proxy, account.proxyKey, { model: 'test/chat', max_tokens: 20 });
  const responses = await Promise.all(proxies.map(ask));
  await Promise.all(responses.map((response) => response.text()));
  const revoked = await fetch(`${admins[0].url}/api/keys/${account.proxyKeyId}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${account.billingKey}` },
    signal: AbortSignal.timeout(revokeTimeoutMs),
  });
  if (!revoked.ok) throw new Error(`a key could not be revoked: ${revoked.status} ${await revoked.text()}`);
  const sent = proxies.flatMap((proxy) => Array.from({ length: burst }, () => ask(proxy)));
  await Promise.all(sent.map(async (response) => (await response).text()));
  await waitFor('the key to be refused', revokeTimeoutMs, async () => {
    const response = await ask(proxies[0]);
    await response.text();
    return response.status === 401;
  });
}
