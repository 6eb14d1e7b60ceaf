/**
 * What the fuzzed models do: the demo provider's models answer in OpenAI's protocol, with all of its checks; others
 * answer minimally in Anthropic's, Gemini's and Bedrock's, so that requests are translated as well.
 */
import { completeChat } from '../../local/demo-provider/chat/chat.ts';
import { completeText } from '../../local/demo-provider/completion.ts';
import { embed } from '../../local/demo-provider/embeddings/embeddings.ts';
import { errorResponse } from '../../local/demo-provider/errors.ts';
import { respondInAnyProtocol } from '../harness/providers/any-protocol.ts';
import { type Behaviour, startScriptedProvider } from '../harness/providers/scripted-provider.ts';

export interface FuzzProvider {
  /** The catalogue of all models, in one line of YAML. */
  readonly catalogue: string;
  stop(): Promise<void>;
}

const translated = ['claude', 'gemini', 'bedrock'];

export function startFuzzProvider(): FuzzProvider {
  const { baseUrl, on, stop } = startScriptedProvider({ records: false });
  on(
    'demo-chat',
    demo((body) => completeChat(body, 0)),
  );
  on(
    'demo-completion',
    demo((body) => completeText(body, 0)),
  );
  on('demo-embedding', demo(embed));
  for (const id of translated) on(`demo-${id}`, respondInAnyProtocol);
  return { catalogue: catalogueOf(baseUrl), stop };
}

function demo(respond: (body: unknown) => Response): Behaviour {
  return ({ body }) => {
    try {
      return respond(body);
    } catch (error) {
      return errorResponse(error);
    }
  };
}

function catalogueOf(baseUrl: string): string {
  const provider = (id: string, protocol: string) => `{ id: ${id}, protocol: ${protocol}, baseUrl: "${baseUrl}" }`;
  const model = (id: string, kind: string, from: string, size = 'contextTokens: 32768, maxOutputTokens: 2048') =>
    `{ id: ${id}, kind: ${kind}, ownedBy: demo, ${size}, price: { prompt: "0.5", completion: "1.5" }, ` +
    `deployments: [{ provider: ${from}, model: ${id.replace('/', '-')} }] }`;
  const providers = [
    provider('demo', 'openai'),
    provider('claude', 'anthropic'),
    provider('gemini', 'gemini'),
    provider('bedrock', 'bedrock'),
  ];
  const models = [
    model('demo/chat', 'chat', 'demo'),
    model('demo/completion', 'completion', 'demo'),
    model('demo/embedding', 'embedding', 'demo', 'contextTokens: 8191').replace('completion: "1.5"', 'completion: "0"'),
    ...translated.map((id) => model(`demo/${id}`, 'chat', id)),
  ];
  return `{ markup: "1.20", providers: [${providers.join(', ')}], models: [${models.join(', ')}] }`;
}
