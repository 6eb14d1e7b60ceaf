/** The Responses API in front of Anthropic's: a turn comes back to the model that generated it as it was. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { responsesDialect } from '../../../../proxy/api/responses/responses-dialect.ts';
import { anthropicAdapter } from '../../../../proxy/providers/anthropic/anthropic-adapter.ts';
import { DialectResponseStream } from '../../../../proxy/request/response/dialect-response-stream.ts';
import { anyTurn, callsOf, eventsOf, messageOf, type TurnPart } from '../../providers/anthropic/any-turn.ts';
import { target } from '../../providers/anthropic/chat-call.ts';
import { framed } from '../../providers/anthropic/message-events.ts';
import { parseResponses } from '../parse.ts';

const requestId = '01920000-0000-7000-8000-000000000001';
const hello = { role: 'user', content: 'Hello?' };
const { chat } = anthropicAdapter.operations;
if (chat === undefined) throw new Error('the adapter has no chat');
const { buildRequest, openStream, readBody } = chat;
const { deployment } = target();

const callOf = (members: object) =>
  parseResponses(
    JSON.stringify({
      model: 'm',
      include: ['reasoning.encrypted_content'],
      tools: [{ type: 'function', name: 'weather', parameters: null, strict: null }],
      ...members,
    }),
  );

/** The output, as its client gets it. */
const shown: Readonly<Record<string, (turn: readonly TurnPart[]) => readonly object[]>> = {
  whole: (turn) => {
    const call = callOf({ input: [hello] });
    const { usage, render } = readBody(messageOf(turn), call, deployment);
    if (usage === null) throw new Error('no usage was read');
    const charge = { usage, costUsd: '0' };
    return JSON.parse(responsesDialect.renderBody(JSON.parse(render(charge)), { call, charge, requestId })).output;
  },
  streamed: (turn) => {
    const call = callOf({ input: [hello], stream: true });
    const inner = openStream?.(call, deployment);
    if (inner === undefined) throw new Error('the adapter does not stream');
    const stream = new DialectResponseStream(inner, responsesDialect.openStream(call, requestId));
    stream.push(framed(eventsOf(turn)));
    const { usage } = stream;
    if (usage === null) throw new Error('no usage was read');
    const [, data = ''] = /event: response\.completed\ndata: (.*)\n/.exec(stream.close({ usage, costUsd: '0' })) ?? [];
    return JSON.parse(data).response.output;
  },
};

test.each(Object.entries(shown))(
  'a %s response in any order comes back to Anthropic as it was generated',
  (_, show) => {
    fc.assert(
      fc.property(anyTurn, (turn) => {
        const results = callsOf(turn).map((id) => ({ type: 'function_call_output', call_id: id, output: 'rain' }));
        const next = results.length > 0 ? results : [hello];
        const call = callOf({ input: [hello, ...show(turn), ...next] });
        const { messages } = JSON.parse(String(buildRequest(call, target()).body));
        expect(messages[1].content).toEqual(turn);
      }),
      { numRuns: 200 },
    );
  },
);
