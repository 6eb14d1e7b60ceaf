/**
 * The real gateway in front of providers that misbehave. A prompt token costs 1 micro-dollar and an output token 10;
 * "Hello?" is 8 prompt tokens if the gateway has to estimate.
 */
import { freePort } from '../../local/servers/ports.ts';
import { spentAtRest } from '../harness/books.ts';
import { chat } from '../harness/clients/chat.ts';
import type { Customer } from '../harness/customers.ts';
import type { Served } from '../harness/programs.ts';
import { type RawProvider, startRawProvider } from '../harness/providers/raw-provider.ts';
import { type ScriptedProvider, startScriptedProvider, wholeResponse } from '../harness/providers/scripted-provider.ts';
import { type Harness, startHarness } from '../harness.ts';

export const promptNano = 1_000n;
export const outputNano = 10_000n;
export const estimatedPromptNano = 8n * promptNano;

export interface FaultGateway {
  readonly harness: Harness;
  readonly scripted: ScriptedProvider;
  readonly raw: RawProvider;
  readonly proxy: Served;
  readonly customer: Customer;
  /** Sends a request, and returns the response with its cost. */
  ask(body: Readonly<Record<string, unknown>>): Promise<{ response: Response; text: string; costNano: bigint }>;
  /** The proxy serves and charges as if nothing had happened. */
  expectAlive(): Promise<void>;
  stop(): Promise<void>;
}

export async function startFaultGateway(): Promise<FaultGateway> {
  const harness = await startHarness();
  const [scripted, raw] = [startScriptedProvider(), await startRawProvider()];
  await harness.applyCatalogue(catalogue({ scripted: scripted.baseUrl, raw: raw.baseUrl, deadPort: await freePort() }));
  await harness.openAdmin();
  const proxy = await harness.openProxy({ EXPOSE_DEPLOYMENTS: 'true' });
  const customer = await harness.createCustomer({ usd: '100' });
  scripted.on('well', wholeResponse({ usage: { promptTokens: 1, completionTokens: 1 } }));

  const ask = async (body: Readonly<Record<string, unknown>>) => {
    const before = await spentAtRest(harness, customer.accountId);
    const response = await chat(proxy, customer.proxyKey, body);
    const text = await response.text();
    return { response, text, costNano: (await spentAtRest(harness, customer.accountId)) - before };
  };
  return {
    harness,
    scripted,
    raw,
    proxy,
    customer,
    ask,
    expectAlive: async () => {
      const { response, costNano } = await ask({ model: 'fault/well' });
      if (response.status !== 200 || costNano !== promptNano + outputNano) throw new Error('the proxy is not well');
    },
    stop: async () => {
      await Promise.all([scripted.stop(), raw.stop()]);
      await harness.stop();
    },
  };
}

function catalogue({ scripted, raw, deadPort }: { scripted: string; raw: string; deadPort: number }): string {
  const model = (id: string, deployments: string) => `
  - id: fault/${id}
    kind: chat
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 2048
    price: { prompt: "1", completion: "10" }
    deployments: [${deployments}]`;
  return `
markup: "1"
providers:
  - { id: scripted, protocol: openai, baseUrl: "${scripted}" }
  - { id: hasty, protocol: openai, baseUrl: "${scripted}", timeouts: { headersMs: 2000, idleMs: 2000 } }
  - { id: brief, protocol: openai, baseUrl: "${scripted}", timeouts: { totalMs: 2000 } }
  - { id: raw, protocol: openai, baseUrl: "${raw}" }
  - { id: narrow, protocol: anthropic, baseUrl: "${scripted}" }
  - { id: dead, protocol: openai, baseUrl: "http://127.0.0.1:${deadPort}/v1" }
models:
${model('well', '{ provider: scripted, model: well }')}
${model('scripted', '{ provider: scripted, model: faulty }')}
${model('timed', '{ provider: scripted, model: timed }')}
${model('hasty', '{ provider: hasty, model: faulty }')}
${model('brief', '{ provider: brief, model: faulty }')}
${model('raw', '{ provider: raw, model: faulty }')}
${model('dead', '{ provider: dead, model: faulty }')}
${model('failover', '{ provider: scripted, model: faulty, priority: 1 }, { provider: scripted, model: well, priority: 2 }')}
${model('mixed', '{ provider: narrow, model: faulty, priority: 1 }, { provider: scripted, model: well, priority: 2 }')}
${model('unable', '{ provider: narrow, model: faulty }')}
${model('mixed-down', '{ provider: scripted, model: faulty, priority: 1 }, { provider: narrow, model: faulty, priority: 2 }')}
${model('drained', '{ provider: scripted, model: faulty, onDisconnect: drain }')}`;
}
