/** How the adapter reads a response depends on the request to the model. */
import { describe, expect, test } from 'bun:test';
import { anthropicAdapter } from '../../../../proxy/providers/anthropic/anthropic-adapter.ts';
import { chatCall, target } from './chat-call.ts';
import { assemble, block, chunksOf, framed, json, messageStart, text } from './message-events.ts';

const schema = { type: 'object', properties: { city: { type: 'string' } } };
const call = chatCall({ stream: true, response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } });
const events = [messageStart(), ...block(0, { type: 'text', text: '' }, [text('{"city":'), text('"Oslo"}')])];

function contentAfter(quirks: NonNullable<Parameters<typeof target>[0]>['quirks'] = {}) {
  const stream = anthropicAdapter.operations.chat?.openStream?.(call, target({ quirks }).deployment);
  return assemble(chunksOf(new TextDecoder().decode(stream?.push(framed(events))))).content;
}

describe('a response with a schema', () => {
  test('is text that is sent immediately if structured output is native', () => {
    expect(contentAfter({ structuredOutput: 'native' })).toBe('{"city":"Oslo"}');
  });

  test('is a tool’s input otherwise, and text waits until it is clear that there is no input', () => {
    expect(contentAfter()).toBe('');
  });

  test('does not hide a tool of the client with the same name', () => {
    const own = { type: 'function', function: { name: 'json' } };
    const { deployment } = target();
    const stream = anthropicAdapter.operations.chat?.openStream?.(
      chatCall({ stream: true, tools: [own], response_format: call.body.response_format }),
      deployment,
    );
    const events = [messageStart(), ...block(0, { type: 'tool_use', id: 'a', name: 'json', input: {} }, [json('{}')])];
    expect(assemble(chunksOf(new TextDecoder().decode(stream?.push(framed(events))))).calls).toEqual([
      { id: 'a', name: 'json', arguments: '{}' },
    ]);
  });
});
