/** Models that generate images at a scripted provider, its responses, and requests for them. */
import type { Customer } from '../customers.ts';
import { type Gateway, startGateway } from '../gateway.ts';
import { customersOf, type NewCustomer } from './paying-customers.ts';
import { type Behaviour, rawResponse } from './scripted-provider.ts';

/** Customers pay 1.2 times the price, and the rounding up of a third of a nano-dollar. */
export const imageCatalogue = (baseUrl: string, { repriced = '0.011111111' } = {}) => `
markup: "1.20"
providers:
  - { id: scripted, protocol: openai, baseUrl: "${baseUrl}" }
models:
  - id: test/image
    kind: image
    ownedBy: test
    contextTokens: 8000
    price:
      images:
        - { size: 1024x1024, quality: high, priceUsd: "0.167" }
        - { size: 1024x1024, quality: default, priceUsd: "0.042" }
        - { size: default, quality: default, priceUsd: "0.011111111" }
    deployments: [{ provider: scripted, model: upstream-image }]
  - id: test/one-size
    kind: image
    ownedBy: test
    contextTokens: 8000
    price: { images: [{ size: 512x512, quality: low, priceUsd: "0.002" }] }
    deployments:
      - { provider: scripted, model: upstream-first, priority: 1 }
      - { provider: scripted, model: upstream-second, priority: 2 }
  - id: test/repriced
    kind: image
    ownedBy: test
    contextTokens: 8000
    price: { images: [{ size: default, quality: default, priceUsd: "${repriced}" }] }
    deployments: [{ provider: scripted, model: upstream-image }]
  - id: test/drained
    kind: image
    ownedBy: test
    contextTokens: 8000
    price: { images: [{ size: default, quality: default, priceUsd: "0.002" }] }
    deployments: [{ provider: scripted, model: upstream-drained, onDisconnect: drain }]
  # 6 micro-dollars for each token of the prompt, and 0.012 dollars for each image.
  - id: test/prompted
    kind: image
    ownedBy: test
    contextTokens: 8000
    price: { prompt: "5", images: [{ size: default, quality: default, priceUsd: "0.01" }] }
    deployments: [{ provider: scripted, model: upstream-image }]
  - id: test/chat
    kind: chat
    ownedBy: test
    contextTokens: 8000
    maxOutputTokens: 100
    price: { prompt: "1", completion: "2" }
    deployments: [{ provider: scripted, model: upstream-chat }]
`;

export interface ImageGateway extends Gateway {
  readonly newCustomer: NewCustomer;
  post(customer: Customer, body: object, init?: RequestInit): Promise<Response>;
}

export async function startImageGateway(): Promise<ImageGateway> {
  const gateway = await startGateway({ catalogue: (baseUrl) => imageCatalogue(baseUrl) });
  const { proxy } = gateway;
  return {
    ...gateway,
    newCustomer: customersOf(gateway),
    post: (customer, body, init = {}) =>
      fetch(`${proxy.url}/v1/images/generations`, {
        method: 'POST',
        headers: { authorization: `Bearer ${customer.proxyKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'test/image', prompt: 'A red square', ...body }),
        ...init,
      }),
  };
}

export const imageBase64 = 'iVBORw0KGgo=';
export const imageUsage = {
  total_tokens: 300,
  input_tokens: 28,
  output_tokens: 272,
  input_tokens_details: { text_tokens: 28, image_tokens: 0 },
};
export const imagesResponse = (count: number, more: object = { usage: imageUsage }): Behaviour =>
  rawResponse(
    JSON.stringify({
      created: 1_790_000_000,
      data: Array.from({ length: count }, (_, index) => ({
        b64_json: imageBase64,
        revised_prompt: `a red square, ${index}`,
      })),
      ...more,
    }),
  );
