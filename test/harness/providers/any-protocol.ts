/** The smallest response of each protocol, whole or streamed as requested: 10 tokens in, 2 out. */
import { eventOf } from '../../../local/demo-provider/event-stream.ts';
import { usageOf } from '../../../local/demo-provider/usage.ts';
import { joined, messageStart, messageStop, metadata, text } from '../../proxy/providers/bedrock/frames.ts';
import { deltasResponse, messageResponse, typedEventsResponse } from './completions.ts';
import { type Behaviour, eventStream, rawResponse } from './scripted-provider.ts';

export const respondInAnyProtocol: Behaviour = (truth, request) => behaviourFor(truth)(truth, request);

const behaviourFor = ({ path, body }: Parameters<Behaviour>[0]): Behaviour => {
  if (path.endsWith('/messages')) return body.stream === true ? claudeEvents : claudeMessage;
  if (path.endsWith('/converse')) return bedrockResponse;
  if (path.endsWith('/converse-stream')) return bedrockFrames;
  if (path.endsWith(':streamGenerateContent')) return geminiEvents;
  if (path.endsWith(':generateContent')) return geminiResponse;
  return body.stream === true ? openAiChunks : openAiMessage;
};

const json = (value: object) => rawResponse(JSON.stringify(value));

const openAiUsage = usageOf(10, 2);
const openAiMessage = messageResponse({ content: 'Hello.' }, 'stop', openAiUsage);
const openAiChunks = deltasResponse([{ content: 'Hello.' }], 'stop', openAiUsage);

const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content: [{ type: 'text', text: 'Hello.' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 2 },
};
const claudeMessage = json(message);
const claudeEvents = typedEventsResponse([
  { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello.' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
]);

const candidates = {
  candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Hello.' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 },
  modelVersion: 'gemini',
  responseId: 'r1',
};
const geminiResponse = json(candidates);
const geminiEvents = rawResponse(eventOf(candidates), eventStream);

const usage = { inputTokens: 10, outputTokens: 2, totalTokens: 12 };
const output = { message: { role: 'assistant', content: [{ text: 'Hello.' }] } };
const bedrockResponse = json({ output, stopReason: 'end_turn', usage });
const bedrockFrames = rawResponse(
  joined([messageStart, ...text(0, 'Hello.'), messageStop('end_turn'), metadata(usage)]),
  'application/vnd.amazon.eventstream',
);
