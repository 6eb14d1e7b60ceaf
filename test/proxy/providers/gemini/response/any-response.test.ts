/** Any JSON from Gemini becomes a response in the published format, or a failure of the provider. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { UpstreamFailure } from '../../../../../proxy/nouns/upstream-failure.ts';
import { noUsage } from '../../../../../proxy/nouns/usage.ts';
import { hostileJson } from '../../../../harness/hostile-json.ts';
import { openaiSchemasMissing, schemaProblems } from '../../../../harness/openapi/openai-schemas.ts';
import { chat, chatCall, targetOf } from '../chat-call.ts';
import { eventsOf, runStream } from '../run-stream.ts';

const anything = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e300, '', 'x', [], {}, [null], [[]], ['x'], { a: {} }),
  hostileJson,
);
/** A valid member, anything else, or nothing. */
const perhaps = (usual: fc.Arbitrary<unknown>) =>
  fc.option(fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: anything }), { nil: undefined });
const text = fc.string({ maxLength: 5 });
const count = fc.nat(1_000);

const part = fc.record({
  text: perhaps(text),
  thought: perhaps(fc.boolean()),
  thoughtSignature: perhaps(text),
  functionCall: perhaps(
    fc.record({ id: perhaps(text), name: perhaps(text), args: perhaps(fc.dictionary(text, anything)) }),
  ),
  inlineData: perhaps(fc.record({ mimeType: perhaps(fc.constant('image/png')), data: perhaps(text) })),
  executableCode: perhaps(fc.record({ code: perhaps(text), language: perhaps(text) })),
});
const tokens = fc.array(perhaps(fc.record({ token: perhaps(text), logProbability: perhaps(fc.constant(-1)) })));
const candidate = fc.record({
  index: perhaps(fc.nat(3)),
  content: perhaps(fc.record({ parts: perhaps(fc.array(perhaps(part), { maxLength: 3 })) })),
  finishReason: perhaps(fc.constantFrom('STOP', 'MAX_TOKENS', 'SAFETY', 'OTHER', 'NEW')),
  logprobsResult: perhaps(fc.record({ chosenCandidates: perhaps(tokens), topCandidates: perhaps(tokens) })),
});
const response = fc.record({
  candidates: perhaps(fc.array(perhaps(candidate), { maxLength: 3 })),
  promptFeedback: perhaps(fc.record({ blockReason: perhaps(text) })),
  usageMetadata: perhaps(
    fc.record({
      promptTokenCount: perhaps(count),
      candidatesTokenCount: perhaps(count),
      totalTokenCount: perhaps(count),
    }),
  ),
  responseId: perhaps(text),
  modelVersion: perhaps(text),
});

function orFailure(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
  }
}

test('any streamed response of Gemini is valid or a failure', () => {
  fc.assert(
    fc.property(fc.array(response, { maxLength: 4 }), (responses) =>
      // This checks every chunk.
      orFailure(() => void runStream([eventsOf(responses)], { stream_options: { include_usage: true } })),
    ),
    { numRuns: 500 },
  );
});

test('any whole response of Gemini is valid or a failure', () => {
  fc.assert(
    fc.property(response, (any) =>
      orFailure(() => {
        const body = chat.readBody(JSON.stringify(any), chatCall(), targetOf().deployment);
        const completion = JSON.parse(body.render({ usage: body.usage ?? noUsage, costUsd: '0' }));
        if (!openaiSchemasMissing) expect(schemaProblems('CreateChatCompletionResponse', completion)).toEqual([]);
      }),
    ),
    { numRuns: 500 },
  );
});
