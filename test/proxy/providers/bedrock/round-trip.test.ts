/** Anthropic's API format in front of a Claude model at Bedrock: a turn comes back to it as it was generated. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { messagesDialect } from '../../../../proxy/api/messages/messages-dialect.ts';
import type { Usage } from '../../../../proxy/nouns/usage.ts';
import { bedrockAdapter } from '../../../../proxy/providers/bedrock/bedrock-adapter.ts';
import { DialectResponseStream } from '../../../../proxy/request/response/dialect-response-stream.ts';
import { contentOf, readEvents } from '../../api/messages/read-as-client.ts';
import { parseMessages } from '../../api/parse.ts';
import { anyTurn, callsOf, type TurnPart } from '../anthropic/any-turn.ts';
import { target } from './chat-call.ts';
import { blockStop, callStart, delta, joined, messageStart, messageStop, metadata, usage } from './frames.ts';

const requestId = '01920000-0000-7000-8000-000000000001';
const hello = { role: 'user', content: 'Hello?' };
const { chat } = bedrockAdapter.operations;
if (chat === undefined) throw new Error('the adapter has no chat');
const { buildRequest, openStream, readBody } = chat;
const { deployment } = target();
const charged = (counts: Usage | null) => {
  if (counts === null) throw new Error('no usage was read');
  return { usage: counts, costUsd: '0' };
};

const callOf = (members: object) => parseMessages(JSON.stringify({ model: 'm', max_tokens: 4096, ...members }));

/** As Converse writes it, in a whole response and in the next request. */
function converseBlockOf(part: TurnPart): object {
  switch (part.type) {
    case 'text':
      return { text: part.text };
    case 'thinking':
      return { reasoningContent: { reasoningText: { text: part.thinking, signature: part.signature } } };
    case 'redacted_thinking':
      return { reasoningContent: { redactedContent: part.data } };
    case 'tool_use':
      return { toolUse: { toolUseId: part.id, name: part.name, input: part.input } };
  }
}

function framesOf(part: TurnPart, index: number): Uint8Array[] {
  switch (part.type) {
    case 'text':
      return [delta(index, { text: part.text }), blockStop(index)];
    case 'thinking':
      return [
        delta(index, { reasoningContent: { text: part.thinking } }),
        delta(index, { reasoningContent: { signature: part.signature } }),
        blockStop(index),
      ];
    case 'redacted_thinking':
      return [delta(index, { reasoningContent: { redactedContent: part.data } }), blockStop(index)];
    case 'tool_use':
      return [
        callStart(index, part.id, part.name),
        delta(index, { toolUse: { input: JSON.stringify(part.input) } }),
        blockStop(index),
      ];
  }
}

test('an effort alone reaches a Claude model at Bedrock without thinking', () => {
  const call = callOf({ messages: [hello], output_config: { effort: 'low' } });
  const fieldsFor = (quirks: object) =>
    JSON.parse(String(buildRequest(call, target({ quirks })).body)).additionalModelRequestFields;
  expect(fieldsFor({ reasoningControl: 'effort' })).toEqual({ output_config: { effort: 'low' } });
  expect(fieldsFor({})).toBeUndefined();
  // To models of other vendors, it is how much they reason.
  expect(fieldsFor({ reasoningParameter: 'reasoning_effort' })).toEqual({ reasoning_effort: 'low' });
});

/** The content of the message, as its client gets it. */
const shown: Readonly<Record<string, (turn: readonly TurnPart[]) => readonly unknown[]>> = {
  whole: (turn) => {
    const call = callOf({ messages: [hello] });
    const message = { role: 'assistant', content: turn.map(converseBlockOf) };
    const body = readBody(JSON.stringify({ output: { message }, stopReason: 'end_turn', usage }), call, deployment);
    const charge = charged(body.usage);
    const completion = JSON.parse(body.render(charge));
    return JSON.parse(messagesDialect.renderBody(completion, { call, charge, requestId })).content;
  },
  streamed: (turn) => {
    const call = callOf({ messages: [hello], stream: true });
    const inner = openStream?.(call, deployment);
    if (inner === undefined) throw new Error('the adapter does not stream');
    const stream = new DialectResponseStream(inner, messagesDialect.openStream(call, requestId));
    const frames = [messageStart, ...turn.flatMap(framesOf), messageStop('end_turn'), metadata(usage)];
    const events = new TextDecoder().decode(stream.push(joined(frames)));
    return contentOf(readEvents(events + stream.close(charged(stream.usage)))).map(({ input, ...part }) =>
      typeof input === 'string' ? { ...part, input: JSON.parse(input) } : part,
    );
  },
};

test.each(Object.entries(shown))('a %s turn in any order comes back to Bedrock as it was generated', (_, show) => {
  fc.assert(
    fc.property(anyTurn, (turn) => {
      const content = show(turn);
      expect<unknown>(content).toEqual(turn);
      const results = callsOf(turn).map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'rain' }));
      const next = results.length > 0 ? { role: 'user', content: results } : hello;
      const call = callOf({ messages: [hello, { role: 'assistant', content }, next] });
      const { messages } = JSON.parse(String(buildRequest(call, target()).body));
      expect(messages[1].content).toEqual(turn.map(converseBlockOf));
    }),
    { numRuns: 200 },
  );
});
