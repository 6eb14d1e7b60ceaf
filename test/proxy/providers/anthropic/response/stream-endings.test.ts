/** How a streamed response ends: complete, cut short, or failed. */
import { describe, expect, test } from 'bun:test';
import { noUsage } from '../../../../../proxy/nouns/usage.ts';
import {
  assemble,
  block,
  chunksOf,
  end,
  framed,
  interleaved,
  messageDelta,
  messageStart,
  messageStop,
  messageStream,
  type ProviderEventObject,
  ping,
  response,
  run,
  runEvents,
  splittings,
  text,
  textBlock,
  thinking,
  thinkingBlock,
  toolUse,
} from '../message-events.ts';

describe('the end of a streamed response', () => {
  const reasons = {
    end_turn: 'stop',
    stop_sequence: 'stop',
    pause_turn: 'length',
    max_tokens: 'length',
    model_context_window_exceeded: 'length',
    refusal: 'content_filter',
    of_the_future: 'stop',
  };
  for (const [stopReason, finishReason] of Object.entries(reasons)) {
    test(`has the finish reason ${finishReason} for ${stopReason}`, () => {
      const { chunks, complete } = runEvents([...response(block(0, textBlock, [text('Hi')])), ...end(stopReason)]);
      expect(assemble(chunks).finishReasons.map(String)).toEqual([finishReason]);
      expect(complete).toBe(true);
    });
  }

  test('can be a refusal before any text', () => {
    const outcome = runEvents([messageStart(), ...end('refusal', { output_tokens: 0 })]);
    expect(assemble(outcome.chunks)).toMatchObject({ content: '', finishReasons: ['content_filter'] });
    expect(outcome.chunks[0]?.choices[0]?.delta.role).toBe('assistant');
    expect(outcome.usage?.completionTokens).toBe(0);
  });

  test('is sent once, with or without message_stop, and even without a reason', () => {
    const events = response(block(0, textBlock, [text('Hi')]));
    const unstopped = runEvents([...events, messageDelta('end_turn')]);
    expect(unstopped).toMatchObject({ complete: true, ended: false });
    expect(assemble(unstopped.chunks).finishReasons).toEqual(['stop']);
    const repeated = runEvents([
      ...events,
      messageDelta('end_turn'),
      messageDelta('end_turn'),
      messageStop,
      messageStop,
    ]);
    expect(assemble(repeated.chunks).finishReasons).toEqual(['stop']);
    expect(assemble(runEvents([...events, messageStop]).chunks).finishReasons).toEqual(['stop']);
    const called = response(block(0, toolUse('a', 'f')));
    expect(assemble(runEvents([...called, messageStop]).chunks).finishReasons).toEqual(['tool_calls']);
  });

  test('is charged for the prompt as counted and the delivered output if the stream breaks off', () => {
    const usage = {
      input_tokens: 30,
      cache_read_input_tokens: 1000,
      cache_creation_input_tokens: 200,
      output_tokens: 9,
    };
    const outcome = runEvents([
      { type: 'message_start', message: { id: 'msg_1', model: 'm', usage } },
      ...block(0, textBlock, [text('Hi')]),
    ]);
    expect(outcome).toMatchObject({
      complete: false,
      ended: false,
      deliveredTokens: 1,
      usage: { ...noUsage, promptTokens: 1230, cachedPromptTokens: 1000, cacheWriteTokens: 200, completionTokens: 1 },
    });
  });

  test('is that of a reached limit if the stream is cut short', () => {
    const stream = messageStream();
    stream.push(framed(response(block(0, textBlock, [text('Hi')]))));
    expect(chunksOf(stream.cutShort())).toMatchObject([{ choices: [{ delta: {}, finish_reason: 'length' }] }]);
    expect([stream.complete, stream.ended]).toEqual([true, true]);
  });

  test('has the usage with its cost only if requested, then [DONE]', () => {
    const usage = {
      ...noUsage,
      promptTokens: 5,
      cachedPromptTokens: 2,
      cacheWriteTokens: 1,
      completionTokens: 3,
    };
    const wanted = messageStream({ includeUsage: true });
    const output = new TextDecoder().decode(wanted.push(framed(interleaved)));
    expect(chunksOf(output).every((chunk) => 'usage' in chunk && chunk.usage === null)).toBe(true);
    const closing = wanted.close({ usage, costUsd: '0.000001' });
    expect(closing).toEndWith('"cost":0.000001}}\n\ndata: [DONE]\n\n');
    expect(chunksOf(closing)).toMatchObject([{ choices: [], usage: { prompt_tokens: 5, completion_tokens: 3 } }]);
    expect(messageStream().close({ usage, costUsd: '0' })).toBe('data: [DONE]\n\n');
  });
});

describe('a streamed response that fails', () => {
  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };

  test('an error before any output fails the stream, and nothing is written', () => {
    expect(runEvents([overloaded])).toMatchObject({ failure: 'Overloaded', output: '', deliveredTokens: 0 });
    expect(runEvents([messageStart(), ping, overloaded])).toMatchObject({ failure: 'Overloaded', output: '' });
  });

  test('an error after output follows that output, wherever the network splits', () => {
    const bytes = framed([...response(block(0, textBlock, [text('Hi')])), overloaded]);
    const expected = run([bytes]);
    expect(expected).toMatchObject({ failure: 'Overloaded', complete: false, ended: true, deliveredTokens: 1 });
    expect(assemble(expected.chunks).content).toBe('Hi');
    for (const chunks of splittings(bytes)) expect(run(chunks)).toEqual(expected);
  });

  test('an error after a complete response does not lose the response', () => {
    const events = [...response(block(0, textBlock, [text('Hi')])), messageDelta('end_turn')];
    expect(run([framed(events), framed([overloaded])])).toMatchObject({ complete: true, ended: true });
  });

  test('an overload inside a stream has the status that it would have as a response', () => {
    const stream = messageStream();
    const failure = catchFailure(() => stream.push(framed([overloaded])));
    expect(failure).toMatchObject({ reason: 'refused', status: 529 });
  });

  test('an error in a stream about the gateway’s account is not shown to the client', () => {
    const unpaid = { type: 'error', error: { type: 'billing_error', message: 'Pay first.' } };
    expect(runEvents([unpaid]).failure).toBe("The provider refused the gateway's request.");
  });

  test('an error in a stream without a message shows its type', () => {
    expect(runEvents([{ type: 'error', error: { type: 'api_error' } }]).failure).toBe('api_error');
    expect(runEvents([{ type: 'error', error: {} }]).failure).toContain('error');
  });

  test('is malformed if it has invalid JSON or known events of a wrong shape', () => {
    expect(run([new TextEncoder().encode('data: <html>\n\n')]).failure).toContain('not JSON');
    const wrong: ProviderEventObject[] = [
      { type: 'message_start', message: 'x' },
      { type: 'message_delta', delta: { stop_reason: 5 } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 5 } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: {} } },
      { type: 'content_block_stop', index: 'zero' },
    ];
    for (const event of wrong) expect(runEvents([event]).failure).toContain('unreadable');
  });

  test('is ended at endless events and endless thinking, which are not buffered', () => {
    const stream = messageStream();
    const chunk = new TextEncoder().encode('x'.repeat(1024 * 1024));
    expect(() => {
      for (let count = 0; count < 64; count += 1) stream.push(chunk);
    }).toThrow('too large');
    const thoughtful = messageStream();
    thoughtful.push(framed([messageStart(), { type: 'content_block_start', index: 0, content_block: thinkingBlock }]));
    const thought = framed([{ type: 'content_block_delta', index: 0, delta: thinking('x'.repeat(1024 * 1024)) }]);
    expect(() => {
      for (let count = 0; count < 64; count += 1) {
        thoughtful.push(thought);
        if (thoughtful.failure !== undefined) throw thoughtful.failure;
      }
    }).toThrow('too large');
  });
});

function catchFailure(attempt: () => unknown): unknown {
  try {
    attempt();
  } catch (error) {
    return error;
  }
  return undefined;
}
