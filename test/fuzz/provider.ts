/**
 * The providers of the fuzzed models: the demo provider for OpenAI's protocol, and minimal responses in Anthropic's,
 * Gemini's and Bedrock's, so that requests are translated as well.
 */
import { startDemoProvider } from '../../local/demo-provider/server.ts';
import { joined, messageStart, messageStop, metadata, text } from '../proxy/providers/bedrock/frames.ts';

export interface FuzzProvider {
  /** The catalogue of all models, in one line of YAML. */
  readonly catalogue: string;
  stop(): Promise<void>;
}

const hostname = '127.0.0.1';

export function startFuzzProvider(): FuzzProvider {
  const demo = startDemoProvider({ hostname, port: 0, tokensPerSecond: 0 });
  const translated = Bun.serve({
    hostname,
    port: 0,
    development: false,
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      const body = Object(await request.json());
      if (pathname.endsWith('/messages'))
        return body.stream === true ? events(claudeEvents) : Response.json(claudeMessage);
      if (pathname.endsWith('/converse')) return Response.json(bedrockResponse);
      if (pathname.endsWith('/converse-stream')) return new Response(bedrockFrames, binary);
      return pathname.endsWith(':streamGenerateContent') ? events([geminiResponse]) : Response.json(geminiResponse);
    },
  });
  return {
    catalogue: catalogueOf({ demo: String(demo.port), translated: String(translated.port) }),
    stop: async () => {
      await Promise.all([demo.stop(true), translated.stop(true)]);
    },
  };
}

function catalogueOf(ports: { demo: string; translated: string }): string {
  const provider = (id: string, protocol: string, port: string) =>
    `{ id: ${id}, protocol: ${protocol}, baseUrl: "http://${hostname}:${port}/v1" }`;
  const model = (id: string, kind: string, from: string, size = 'contextTokens: 32768, maxOutputTokens: 2048') =>
    `{ id: ${id}, kind: ${kind}, ownedBy: demo, ${size}, price: { prompt: "0.5", completion: "1.5" }, ` +
    `deployments: [{ provider: ${from}, model: ${id.replace('/', '-')} }] }`;
  const providers = [
    provider('demo', 'openai', ports.demo),
    provider('claude', 'anthropic', ports.translated),
    provider('gemini', 'gemini', ports.translated),
    provider('bedrock', 'bedrock', ports.translated),
  ];
  const models = [
    model('demo/chat', 'chat', 'demo'),
    model('demo/completion', 'completion', 'demo'),
    model('demo/embedding', 'embedding', 'demo', 'contextTokens: 8191').replace('completion: "1.5"', 'completion: "0"'),
    model('demo/claude', 'chat', 'claude'),
    model('demo/gemini', 'chat', 'gemini'),
    model('demo/bedrock', 'chat', 'bedrock'),
  ];
  return `{ markup: "1.20", providers: [${providers.join(', ')}], models: [${models.join(', ')}] }`;
}

const claudeMessage = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content: [{ type: 'text', text: 'Hello.' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 2 },
};

const claudeEvents = [
  { type: 'message_start', message: { ...claudeMessage, content: [], stop_reason: null } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello.' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
];

const geminiResponse = {
  candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Hello.' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 },
  modelVersion: 'gemini',
  responseId: 'r1',
};

const bedrockUsage = { inputTokens: 10, outputTokens: 2, totalTokens: 12 };
const bedrockResponse = {
  output: { message: { role: 'assistant', content: [{ text: 'Hello.' }] } },
  stopReason: 'end_turn',
  usage: bedrockUsage,
};
const bedrockFrames = joined([messageStart, ...text(0, 'Hello.'), messageStop('end_turn'), metadata(bedrockUsage)]);
const binary = { headers: { 'content-type': 'application/vnd.amazon.eventstream' } };

function events(values: readonly object[]): Response {
  const frames = values.map((value) => {
    const type = 'type' in value ? `event: ${value.type}\n` : '';
    return `${type}data: ${JSON.stringify(value)}\n\n`;
  });
  return new Response(frames.join(''), { headers: { 'content-type': 'text/event-stream' } });
}
