/** Calls and deployments for tests that need no gateway. */
import type { CallOf } from '../../../../proxy/nouns/call.ts';
import type { JsonRecord } from '../../../../proxy/nouns/json/record.ts';
import type { Deployment } from '../../../../proxy/pricing/catalogue.ts';
import type { UpstreamTarget } from '../../../../proxy/providers/adapter.ts';
import type { ModelKind } from '../../../../shared/catalogue/model-kinds.ts';
import type { Quirks } from '../../../../shared/catalogue/published-catalogue.ts';

export const testDeployment = deploymentWith({});

export function deploymentWith(quirks: Quirks): Deployment {
  return {
    name: 'test/upstream-model',
    provider: { id: 'test', protocol: 'openai', baseUrl: 'http://127.0.0.1:9/v1', apiKeyEnv: '', quirks },
    model: 'upstream-model',
    priority: 1,
    weight: 1,
    onDisconnect: 'abort',
  };
}

export function targetWith(quirks: Quirks, apiKey?: string): UpstreamTarget {
  return { deployment: deploymentWith(quirks), apiKey, outputCap: 100 };
}

type Given<Kind extends ModelKind> = Partial<Omit<CallOf<Kind>, 'kind' | 'body'>> & {
  readonly kind?: Kind;
  /** As far as the test needs it. */
  readonly body?: JsonRecord;
};

/** Of a chat model by default. */
export function testCall<Kind extends ModelKind = 'chat'>(given: Given<Kind> = {}): CallOf<Kind> {
  const body = given.body ?? {};
  const call: unknown = {
    kind: 'chat',
    model: 'test/model',
    stream: false,
    includeUsage: false,
    n: 1,
    choices: 1,
    outputCap: undefined,
    text: JSON.stringify(body),
    body,
    bytes: 0,
    mediaParts: 0,
    promptTexts: [],
    prompts: 1,
    promptTokenIds: 0,
    ...given,
  };
  return call as CallOf<Kind>;
}
