/** A gateway whose models have several providers, of which different things are known. */
import type { Customer } from '../../harness/customers.ts';
import { startGateway } from '../../harness/gateway.ts';
import { wholeResponse } from '../../harness/providers/scripted-provider.ts';

export interface Facts {
  readonly name?: string;
  readonly country?: string;
  readonly retentionDays?: number;
  readonly trains?: boolean;
}

/** By the name of the model at the provider. */
export const deployments: Readonly<Record<string, Facts>> = {
  'at-azure-de': { name: 'azure', country: 'DE', retentionDays: 0, trains: false },
  'at-azure-us': { name: 'azure', country: 'US', retentionDays: 30, trains: false },
  'at-openai': { name: 'openai', country: 'US', retentionDays: 30, trains: true },
  'at-local': { name: 'local', country: 'RU', retentionDays: 0 },
  'at-nobody': {},
};

/** Micro-dollars a token, and the most output tokens. */
export const models = {
  'test/cheap': { prompt: 1, completion: 2, cap: 100 },
  'test/long': { prompt: 1, completion: 4, cap: 400 },
  'test/dear': { prompt: 8, completion: 16, cap: 100 },
  'test/wordy': { prompt: 2, completion: 1, cap: 500 },
} as const;
export type ModelId = keyof typeof models;
export const modelIds = Object.keys(models) as ModelId[];
export const upstreamOf = (id: ModelId) => `upstream-${id.slice(5)}`;

const facts = ({ country, retentionDays, trains }: Facts) =>
  Object.entries({ country, retentionDays, trains })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `, ${name}: ${value}`)
    .join('');

const catalogue = (baseUrl: string) => `
providers:
  - { id: azure-account-1, publicName: azure, protocol: openai, baseUrl: "${baseUrl}" }
  - { id: openai-account, publicName: openai, protocol: openai, baseUrl: "${baseUrl}", country: US, retentionDays: 30, trains: true }
  - { id: cluster, publicName: local, protocol: openai, baseUrl: "${baseUrl}" }
  - { id: nameless, protocol: openai, baseUrl: "${baseUrl}" }
  - { id: unused, publicName: unused, protocol: openai, baseUrl: "${baseUrl}" }
  - { id: messages, protocol: anthropic, baseUrl: "${baseUrl}" }
  - { id: gemini, protocol: gemini, baseUrl: "${baseUrl}" }
  - { id: responses, protocol: openai-responses, baseUrl: "${baseUrl}" }
models:
  - id: test/spread
    kind: chat
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 100
    price: { prompt: "1", completion: "2" }
    deployments:
      - { provider: azure-account-1, model: at-azure-de${facts(deployments['at-azure-de'] ?? {})} }
      - { provider: azure-account-1, model: at-azure-us${facts(deployments['at-azure-us'] ?? {})} }
      - { provider: openai-account, model: at-openai }
      - { provider: cluster, model: at-local${facts(deployments['at-local'] ?? {})} }
      - { provider: nameless, model: at-nobody }
  - id: test/sticky
    kind: chat
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 100
    price: { prompt: "1", cachedPrompt: "0.1", completion: "2" }
    deployments: [{ provider: cluster, model: one }, { provider: cluster, model: two }, { provider: cluster, model: three }]
  - { id: test/vectors, kind: embedding, ownedBy: test, contextTokens: 32768, price: { prompt: "1" }, deployments: [{ provider: cluster, model: vectors }] }
${['messages', 'gemini', 'responses', 'cluster']
  .map(
    (provider) =>
      `  - { id: test/${provider}, kind: chat, ownedBy: test, contextTokens: 32768, maxOutputTokens: 100, price: { prompt: "1", completion: "2" }, deployments: [{ provider: ${provider}, model: any }] }`,
  )
  .join('\n')}
${modelIds
  .map(
    (id) =>
      `  - { id: ${id}, kind: chat, ownedBy: test, contextTokens: 32768, maxOutputTokens: ${models[id].cap}, price: { prompt: "${models[id].prompt}", completion: "${models[id].completion}" }, deployments: [{ provider: cluster, model: ${upstreamOf(id)} }] }`,
  )
  .join('\n')}
`;

export const hello = [{ role: 'user', content: 'Hello?' }];
/** Ten tokens of prompt and five of output. */
export const answers = wholeResponse({ usage: { promptTokens: 10, completionTokens: 5 } });

interface Answer {
  readonly model?: string;
  readonly error?: { readonly code: string; readonly param: string | null; readonly message: string };
}

export async function startRoutedGateway() {
  const gateway = await startGateway({ catalogue, proxyEnvironment: { EXPOSE_DEPLOYMENTS: 'true' } });
  const post = (customer: Customer, body: object, path = 'chat/completions'): Promise<Response> =>
    fetch(`${gateway.proxy.url}/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${customer.proxyKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  /** `served` is the name of the model at the provider. */
  const ask = async (customer: Customer, body: object, path?: string) => {
    const response = await post(customer, body, path);
    const answer = (await response.json()) as Answer;
    const served = response.headers.get('x-gateway-deployment')?.split('/').at(-1);
    return { status: response.status, served, answer, cost: response.headers.get('x-cost-usd') };
  };
  return { ...gateway, post, ask };
}
