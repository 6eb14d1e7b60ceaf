/** The gateway that all clients of the matrix share, and its customers. */
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { chat } from '../../../harness/clients/chat.ts';
import type { Customer } from '../../../harness/customers.ts';
import { type Gateway, startGateway } from '../../../harness/gateway.ts';
import { modelOfKind } from '../../../harness/providers/each-kind.ts';
import { testCatalogue } from '../../../harness/providers/test-catalogue.ts';
import { openTestStore } from '../../../harness/storage/stores.ts';
import type { Session } from './driver.ts';

export const bodyMaxBytes = 100_000;

export interface Visit {
  readonly customer: Customer;
  readonly session: Session;
  /** The status of every response to the client, including retries. */
  readonly statuses: readonly number[];
}

export interface VisitOptions {
  readonly usd?: string;
  readonly key?: string;
  readonly retries?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called with every response before the client gets it. */
  readonly onStatus?: (status: number) => void;
}

export interface Stage extends Gateway {
  /** A new customer with a dollar, whose client does not retry by default. */
  enter(options?: VisitOptions): Promise<Visit>;
  /** A key of this customer with a limit of concurrent streams. */
  keyWithStreams(customer: Customer, concurrentStreams: number): Promise<string>;
}

export async function setStage(): Promise<Stage> {
  const place = await openTestStore('folder');
  const gateway = await startGateway({
    catalogue: catalogueOf,
    proxyEnvironment: { MAX_BODY_BYTES: String(bodyMaxBytes), ...place.environment },
  });
  return {
    ...gateway,
    stop: async () => {
      await gateway.stop();
      await place.remove();
    },
    enter: (options = {}) => enter(gateway, options),
    keyWithStreams: (customer, count) => keyWithStreams(gateway, customer, count),
  };
}

function catalogueOf(baseUrl: string): string {
  const anthropic = `  - { id: scripted-anthropic, protocol: anthropic, baseUrl: "${baseUrl}" }\nmodels:`;
  return `${testCatalogue(baseUrl).replace('models:', anthropic)}${modelOfKind('embedding')}${modelOfKind('completion')}${modelOfKind('speech')}${modelOfKind('transcription')}${modelOfKind('moderation')}${modelOfKind('rerank')}
  - id: test/searching
    kind: chat
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 2048
    price: { prompt: "0.50", completion: "1.50", webSearch: "0.01" }
    deployments: [{ provider: scripted-anthropic, model: upstream-claude }]
  # Its provider has had enough.
  - id: test/overloaded
    kind: chat
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 2048
    price: { prompt: "0.50", completion: "1.50" }
    deployments: [{ provider: scripted, model: upstream-overloaded }]
`;
}

async function enter({ harness, proxy }: Gateway, options: VisitOptions): Promise<Visit> {
  const { usd = '1', retries = 0, headers = {}, onStatus = () => {} } = options;
  const customer = await harness.createCustomer({ usd });
  const statuses: number[] = [];
  const noted = async (...request: Parameters<typeof fetch>) => {
    const response = await fetch(...request);
    statuses.push(response.status);
    onStatus(response.status);
    return response;
  };
  const session: Session = {
    url: proxy.url,
    key: options.key ?? customer.proxyKey,
    headers,
    retries,
    fetch: Object.assign(noted, { preconnect: fetch.preconnect }),
  };
  return { customer, session, statuses };
}

async function keyWithStreams({ admin, proxy }: Gateway, { billingKey }: Customer, concurrentStreams: number) {
  const response = await fetch(`${admin.url}/api/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${billingKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'limited', limits: { rateLimits: { concurrentStreams } } }),
  });
  if (response.status !== 201) throw new Error(`no key: ${response.status} ${await response.text()}`);
  const { key } = (await response.json()) as { key: string };
  await waitFor('the key', guardTimeoutMs, async () => (await chat(proxy, key, { model: 'test/none' })).status === 404);
  return key;
}
