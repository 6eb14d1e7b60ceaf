/** What the model list says of parameters, against what each protocol's requests are made of. */
import { describe, expect, test } from 'bun:test';
import type { Deployment } from '../../../proxy/pricing/catalogue.ts';
import { textOf } from '../../../proxy/providers/adapter.ts';
import { operationOf } from '../../../proxy/providers/adapters.ts';
import {
  type ListedParameter,
  listedParameters,
  supportedParameters,
} from '../../../proxy/providers/supported-parameters.ts';
import type { Protocol, Quirks } from '../../../shared/catalogue/published-catalogue.ts';
import { GatewayError } from '../../../shared/errors.ts';
import { picoUsdEach } from '../../../shared/money.ts';
import { pricesAt } from '../../harness/prices.ts';
import { parseChatCompletion } from '../api/parse.ts';
import { jsonSchema, weather } from './anthropic/chat-call.ts';

type Body = Readonly<Record<string, unknown>>;

const tools = { tools: [weather] };
/** The parameter with what it needs, and the same request without it. */
const requests: Readonly<Record<ListedParameter, { readonly with: Body; readonly without: Body }>> = {
  temperature: { with: { temperature: 0.3 }, without: {} },
  top_p: { with: { top_p: 0.3 }, without: {} },
  max_tokens: { with: { max_tokens: 7 }, without: {} },
  max_completion_tokens: { with: { max_completion_tokens: 7 }, without: {} },
  stop: { with: { stop: ['END'] }, without: {} },
  seed: { with: { seed: 7 }, without: {} },
  frequency_penalty: { with: { frequency_penalty: 0.5 }, without: {} },
  presence_penalty: { with: { presence_penalty: 0.5 }, without: {} },
  logit_bias: { with: { logit_bias: { '7': 1 } }, without: {} },
  logprobs: { with: { logprobs: true }, without: {} },
  top_logprobs: { with: { logprobs: true, top_logprobs: 3 }, without: { logprobs: true } },
  response_format: { with: { response_format: { type: 'json_object' } }, without: {} },
  structured_outputs: { with: { response_format: jsonSchema }, without: {} },
  tools: { with: tools, without: {} },
  tool_choice: { with: { ...tools, tool_choice: 'required' }, without: tools },
  parallel_tool_calls: { with: { ...tools, parallel_tool_calls: false }, without: tools },
  reasoning: { with: { reasoning: { effort: 'high' } }, without: {} },
  reasoning_effort: { with: { reasoning_effort: 'high' }, without: {} },
  web_search_options: { with: { web_search_options: {} }, without: {} },
};
const prices = { ...pricesAt({ prompt: 1n, completion: 1n }), each: { webSearch: picoUsdEach(1n) } };
const outputCap = 20_000;

function deploymentOf(protocol: Protocol, quirks: Quirks = {}): Deployment {
  const provider = { id: 'p', protocol, baseUrl: 'https://provider.test/v1', apiKeyEnv: '', quirks };
  return { name: 'p/m', provider, model: 'm', priority: 1, weight: 1, onDisconnect: 'abort' };
}

/** The request to the provider; undefined if it is refused. */
function sent(deployment: Deployment, parameters: Body): string | undefined {
  const body = { model: 'test/m', messages: [{ role: 'user', content: 'Hello?' }], ...parameters };
  const operation = operationOf(deployment.provider.protocol, 'chat');
  const call = parseChatCompletion(JSON.stringify(body));
  try {
    const cap = call.outputCap ?? outputCap;
    return String(textOf(operation?.buildRequest(call, { deployment, apiKey: undefined, outputCap: cap }).body ?? ''));
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'unsupported_parameter') return undefined;
    throw error;
  }
}

function reachesProvider(deployment: Deployment, name: ListedParameter): boolean {
  const request = sent(deployment, requests[name].with);
  return request !== undefined && request !== sent(deployment, requests[name].without);
}

const cases: readonly [name: string, Deployment][] = [
  ['openai', deploymentOf('openai', { reasoningParameter: 'reasoning_effort' })],
  ['openai with reasoning as an object', deploymentOf('openai', { reasoningParameter: 'reasoning' })],
  ['openai without reasoning', deploymentOf('openai', { reasoningParameter: 'none' })],
  [
    'openai with refused and dropped parameters',
    deploymentOf('openai', {
      reasoningParameter: 'none',
      refuseParameters: ['logit_bias', 'response_format', 'parallel_tool_calls'],
      dropParameters: ['seed', 'temperature'],
    }),
  ],
  ['anthropic', deploymentOf('anthropic')],
  ['anthropic with effort', deploymentOf('anthropic', { reasoningControl: 'effort' })],
  ['gemini', deploymentOf('gemini')],
  ['bedrock', deploymentOf('bedrock')],
  ['bedrock with effort', deploymentOf('bedrock', { reasoningControl: 'effort' })],
  ['bedrock with open models', deploymentOf('bedrock', { reasoningParameter: 'reasoning_effort' })],
  ['bedrock without reasoning', deploymentOf('bedrock', { reasoningParameter: 'none' })],
];

test.each(cases)('every parameter that is listed of %s reaches the provider, and no other does', (_, deployment) => {
  const supported = supportedParameters({ kind: 'chat', deployments: [deployment], prices });
  expect(supported).toEqual(listedParameters.filter((name) => reachesProvider(deployment, name)));
});

describe('of several deployments', () => {
  const listed = (...deployments: Deployment[]) => supportedParameters({ kind: 'chat', deployments, prices });
  const of = (...deployments: Deployment[]): ListedParameter[] =>
    listed(...deployments).filter((name) => name !== 'web_search_options');

  test('only what each of them supports is listed', () => {
    const both = of(deploymentOf('openai'), deploymentOf('anthropic'));
    expect(both).toEqual(
      listedParameters.filter(
        (name) => of(deploymentOf('openai')).includes(name) && of(deploymentOf('anthropic')).includes(name),
      ),
    );
    expect(both).not.toContain('seed');
    expect(both).toContain('tools');
  });

  test('a search is listed if one of them can, and the model has a price for it', () => {
    const deployments = [deploymentOf('openai'), deploymentOf('anthropic')];
    expect(listed(...deployments)).toContain('web_search_options');
    expect(listed(deploymentOf('openai'), deploymentOf('openai-responses'))).not.toContain('web_search_options');
    const { each: _, ...unpriced } = prices;
    expect(supportedParameters({ kind: 'chat', deployments, prices: unpriced })).not.toContain('web_search_options');
  });

  test('one that serves only the Responses API does not decide what chat completions support', () => {
    expect(of(deploymentOf('openai-responses'), deploymentOf('openai'))).toEqual(of(deploymentOf('openai')));
    expect(of(deploymentOf('openai-responses'))).toContain('reasoning');
  });

  test('reasoning is not promised of an OpenAI-compatible provider whose quirks do not name it', () => {
    expect(of(deploymentOf('openai'))).not.toContain('reasoning');
  });
});

test('a model that generates no text lists no parameters, and a text completion none of chats', () => {
  const deployments = [deploymentOf('openai')];
  expect(supportedParameters({ kind: 'embedding', deployments, prices })).toEqual([]);
  const ofCompletion = supportedParameters({ kind: 'completion', deployments, prices });
  expect(ofCompletion).toContain('temperature');
  expect(ofCompletion).not.toContain('tools');
});
