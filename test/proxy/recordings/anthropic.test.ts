/** Recorded responses of Anthropic through the adapter, split at every byte. */
import { describe, expect, test } from 'bun:test';
import type { ChatCompletion } from '../../../proxy/nouns/chat-completion.ts';
import { anthropicAdapter } from '../../../proxy/providers/anthropic/anthropic-adapter.ts';
import { openaiSchemasMissing, schemaProblems } from '../../harness/openapi/openai-schemas.ts';
import { chatCall, target } from '../providers/anthropic/chat-call.ts';
import { assemble, framed, run, splittings } from '../providers/anthropic/message-events.ts';
import { countsOf, eventsOf, fieldsOf, jsonToolOf, read, streamed, truthOf, whole } from './anthropic-recordings.ts';

describe('a recorded stream of Anthropic', () => {
  for (const name of streamed) {
    const options = { jsonTool: jsonToolOf(name) };
    const bytes = () => framed(eventsOf(name));

    test(`${name} has the generated output and the reported usage`, () => {
      const { chunks, usage, complete, ended, deliveredTokens } = run([bytes()], options);
      const truth = truthOf(name);
      const response = assemble(chunks);
      const isJson = options.jsonTool !== undefined;
      expect(response.content).toBe(isJson ? truth.input : truth.text);
      expect(response.calls.map((call) => call.arguments)).toEqual(
        truth.stopReason === 'tool_use' && !isJson ? [truth.input || '{}'] : [],
      );
      expect(response.finishReasons).toEqual([response.calls.length > 0 ? 'tool_calls' : 'stop']);
      expect(usage).toMatchObject({
        promptTokens: truth.counts.prompt,
        completionTokens: truth.counts.completion,
      });
      expect({ complete, ended }).toEqual({ complete: true, ended: true });
      expect(deliveredTokens).toBeGreaterThan(0);
      expect(deliveredTokens).toBeLessThanOrEqual(truth.counts.completion);
    });

    test(`${name} is the same at every split`, () => {
      const expected = run([bytes()], options);
      for (const chunks of splittings(bytes())) expect(run(chunks, options)).toEqual(expected);
    });

    test.skipIf(openaiSchemasMissing)(`${name} becomes chunks that validate against OpenAI’s schema`, () => {
      const { chunks } = run([bytes()], { ...options, includeUsage: true });
      expect(chunks.flatMap((chunk) => schemaProblems('CreateChatCompletionStreamResponse', chunk))).toEqual([]);
    });
  }
});

describe('a recorded body of Anthropic', () => {
  for (const name of whole) {
    test(`${name} becomes a chat completion with the reported usage`, () => {
      const response = anthropicAdapter.operations.chat?.readBody(
        read(name),
        chatCall(fieldsOf(name)),
        target().deployment,
      );
      if (response?.usage == null) throw new Error('no usage');
      const completion = JSON.parse(response.render({ usage: response.usage, costUsd: '0.1' })) as ChatCompletion;
      const recorded = JSON.parse(read(name)) as { content: RecordedBlock[]; usage: Record<string, number> };
      const { prompt, completion: generated } = countsOf(recorded.usage);
      expect(response.usage).toMatchObject({ promptTokens: prompt, completionTokens: generated });
      const choice = completion.choices[0];
      const uses = recorded.content.filter(({ type }) => type === 'tool_use');
      if (jsonToolOf(name) !== undefined) {
        expect(JSON.parse(choice?.message.content ?? '')).toEqual(uses[0]?.input);
        expect(choice).toMatchObject({ finish_reason: 'stop' });
        expect(choice?.message.tool_calls).toBeUndefined();
      } else {
        expect(choice?.message.content).toBe(recorded.content.map(({ text = '' }) => text).join(''));
        expect((choice?.message.tool_calls ?? []).map((call) => JSON.parse(call.function.arguments))).toEqual(
          uses.map(({ input }) => input),
        );
        expect(choice?.finish_reason).toBe(uses.length > 0 ? 'tool_calls' : 'stop');
      }
      if (!openaiSchemasMissing) expect(schemaProblems('CreateChatCompletionResponse', completion)).toEqual([]);
    });
  }
});

interface RecordedBlock {
  readonly type: string;
  readonly text?: string;
  readonly input?: unknown;
}
