/** A model's response with one call, in each protocol, whole or streamed as requested: 10 tokens in, 2 out. */
import { eventOf } from '../../../../local/demo-provider/event-stream.ts';
import { usageOf } from '../../../../local/demo-provider/usage.ts';
import { deltasResponse, messageResponse, typedEventsResponse } from '../../../harness/providers/completions.ts';
import { type Behaviour, eventStream, rawResponse } from '../../../harness/providers/scripted-provider.ts';
import {
  blockStop,
  callStart,
  delta,
  joined,
  messageStart,
  messageStop,
  metadata,
} from '../../providers/bedrock/frames.ts';
import type { Called } from './sent-request.ts';

const usage = usageOf(10, 2);
const json = (value: object) => rawResponse(JSON.stringify(value));

/** Streamed arguments come in pieces of this many characters. */
const pieceLength = 7;

export function callInAnyProtocol(called: Called): Behaviour {
  return (truth, request) => {
    const { path, body } = truth;
    if (path.endsWith('/messages')) return claudeCall(called, body.stream === true)(truth, request);
    if (path.endsWith('/converse')) return bedrockCall(called)(truth, request);
    if (path.endsWith('/converse-stream')) return bedrockFrames(called)(truth, request);
    if (path.includes('enerateContent')) return geminiCall(called, path.includes(':stream'))(truth, request);
    return openAiCall(called, body.stream === true)(truth, request);
  };
}

function piecesOf(text: string): string[] {
  return text.match(new RegExp(`.{1,${pieceLength}}`, 'gs')) ?? [];
}

function openAiCall({ name, input }: Called, streamed: boolean): Behaviour {
  const written = JSON.stringify(input);
  const call = { id: 'call_9', type: 'function', function: { name, arguments: written } };
  if (!streamed) return messageResponse({ tool_calls: [call] }, 'tool_calls', usage);
  const first = { tool_calls: [{ index: 0, ...call, function: { name, arguments: '' } }] };
  const others = piecesOf(written).map((piece) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] }));
  return deltasResponse([first, ...others], 'tool_calls', usage);
}

function claudeCall({ name, input }: Called, streamed: boolean): Behaviour {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', stop_sequence: null };
  const block = { type: 'tool_use', id: 'toolu_9', name };
  const counts = { input_tokens: 10, output_tokens: 2 };
  if (!streamed) return json({ ...message, content: [{ ...block, input }], stop_reason: 'tool_use', usage: counts });
  return typedEventsResponse([
    { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage: counts } },
    { type: 'content_block_start', index: 0, content_block: { ...block, input: {} } },
    ...piecesOf(JSON.stringify(input)).map((partial_json) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json },
    })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ]);
}

function geminiCall({ name, input }: Called, streamed: boolean): Behaviour {
  const response = {
    candidates: [
      { index: 0, content: { role: 'model', parts: [{ functionCall: { name, args: input } }] }, finishReason: 'STOP' },
    ],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 },
    modelVersion: 'gemini',
    responseId: 'r1',
  };
  return streamed ? rawResponse(eventOf(response), eventStream) : json(response);
}

const counts = { inputTokens: 10, outputTokens: 2, totalTokens: 12 };

function bedrockCall({ name, input }: Called): Behaviour {
  const content = [{ toolUse: { toolUseId: 'tooluse_9', name, input } }];
  return json({ output: { message: { role: 'assistant', content } }, stopReason: 'tool_use', usage: counts });
}

function bedrockFrames({ name, input }: Called): Behaviour {
  const pieces = piecesOf(JSON.stringify(input)).map((piece) => delta(0, { toolUse: { input: piece } }));
  const frames = [
    messageStart,
    callStart(0, 'tooluse_9', name),
    ...pieces,
    blockStop(0),
    messageStop('tool_use'),
    metadata(counts),
  ];
  return rawResponse(joined(frames), 'application/vnd.amazon.eventstream');
}
