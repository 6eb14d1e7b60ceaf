/** Bedrock's failures through the real gateway: which deployment is next, what is delivered, and what is charged. */
import { afterAll, describe, expect, test } from 'bun:test';
import { errorCodeOf } from '../../../harness/clients/chat.ts';
import {
  type Behaviour,
  rawResponse,
  untilAborted,
  writtenResponse,
} from '../../../harness/providers/scripted-provider.ts';
import { assemble, chunksOf } from '../anthropic/message-events.ts';
import {
  callStart,
  delta,
  exceptionFrame,
  joined,
  messageStart,
  messageStop,
  metadata,
  text,
  usage,
} from './frames.ts';
import { eventStream, fails, modelId, price, startStage, streams, streamsInTurn } from './stage.ts';

const { provider, stop, ask, askStream, chargeOf } = await startStage();

afterAll(stop);

/** The streamed text, without the error at its end. */
function rejectedWith(output: string) {
  return chunksOf(output).filter((chunk) => 'choices' in chunk);
}

describe('the next deployment', () => {
  const second = [messageStart, ...text(0, 'From the second.'), messageStop('end_turn'), metadata(usage)];

  test.each<[string, Behaviour]>([
    ['throttled', fails(429, 'ThrottlingException', 'Too many requests.')],
    ['whose model is not ready', fails(429, 'ModelNotReadyException', 'Loading.')],
    ['whose model has failed', fails(424, 'ModelErrorException', 'The model crashed.')],
    ['that denies access', fails(403, 'AccessDeniedException', 'account 123 has no access')],
    [
      'that throttles inside of the stream',
      streams([messageStart, exceptionFrame('throttlingException', 'Slow down.')]),
    ],
    [
      'that fails in one chunk with its first output',
      streams([messageStart, ...text(0, 'From the first.'), exceptionFrame('modelStreamErrorException', 'Oops.')]),
    ],
    ['whose stream is damaged from its first byte', rawResponse('not a frame at all', eventStream)],
  ])('the next deployment is tried after one %s', async (_, behaviour) => {
    provider.on('first', behaviour);
    provider.on('second', streams(second));
    const charged = await chargeOf(async () => {
      const response = await askStream({ model: 'test/both' });
      expect(assemble(chunksOf(await response.text())).content).toBe('From the second.');
    });
    expect(charged).toBe(12n * price.prompt + 7n * price.completion);
  });

  test('the next deployment is not tried if the request is at fault', async () => {
    provider.on('first', fails(400, 'ValidationException', 'messages.0: too many images'));
    const requestsBefore = provider.requests.length;
    const response = await askStream({ model: 'test/both' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: 'upstream_rejected_request', message: 'messages.0: too many images' },
    });
    expect(provider.requests.length - requestsBefore).toBe(1);
  });
});

describe('the output of a stream that fails', () => {
  const words = Array.from({ length: 40 }, (_, index) => delta(0, { text: `${index} ` }));
  const damaged = delta(0, { text: 'changed' });
  damaged[damaged.byteLength - 6] = (damaged[damaged.byteLength - 6] ?? 0) ^ 1;

  async function outputInTurn(beginning: readonly Uint8Array[], rest: readonly Uint8Array[]): Promise<string> {
    const begun = Promise.withResolvers<void>();
    provider.on(modelId, streamsInTurn(beginning, { begun: begun.promise, rest }));
    const response = await askStream();
    begun.resolve();
    return response.text();
  }

  test.each<[string, readonly Uint8Array[]]>([
    ['with an exception of the model', [exceptionFrame('modelStreamErrorException', 'The model crashed.')]],
    ['with a frame whose checksum is wrong', [damaged, messageStop('end_turn'), metadata(usage)]],
    ['without an end', []],
    ['in the middle of a frame', [messageStop('end_turn').subarray(0, 20)]],
  ])('%s is delivered and charged up to there', async (_, end) => {
    const charged = await chargeOf(async () => {
      const output = await outputInTurn([messageStart, ...words], end);
      expect(assemble(rejectedWith(output)).content).toEndWith('39 ');
      expect(output).toContain('"code":"upstream_error"');
      expect(output).not.toContain('changed');
    });
    // Forty numbers and the spaces between them are eighty tokens, and the prompt is a few.
    expect(charged).toBeGreaterThan(70n * price.completion);
    expect(charged).toBeLessThan(90n * price.completion);
  });

  test('has no complete tool call if the call broke off', async () => {
    const call = [callStart(0, 'tooluse_1', 'find'), delta(0, { toolUse: { input: '{"q":' } })];
    await chargeOf(async () => {
      const output = await outputInTurn([messageStart, ...call], [exceptionFrame('internalServerException', 'Oops.')]);
      expect(assemble(rejectedWith(output))).toMatchObject({ calls: [{ arguments: '{"q":' }], finishReasons: [] });
    });
  });
});

test('a customer who hangs up pays for what was delivered, and a provider that is not drained is aborted', async () => {
  const frames = [messageStart, ...Array.from({ length: 40 }, (_, index) => delta(0, { text: `${index} ` }))];
  const aborted = Promise.withResolvers<void>();
  provider.on(
    'left',
    writtenResponse(async ({ write, signal }) => {
      write(joined(frames));
      await untilAborted(signal);
      aborted.resolve();
    }, eventStream),
  );
  const charged = await chargeOf(async () => {
    const leaving = new AbortController();
    const response = await ask({ model: 'test/left', stream: true }, { signal: leaving.signal });
    await response.body?.getReader().read();
    leaving.abort();
    await aborted.promise;
  });
  expect(charged).toBeLessThan(90n * price.completion);
});

test('an error discloses nothing about the account at the provider', async () => {
  provider.on(modelId, fails(403, 'AccessDeniedException', 'User: arn:aws:iam::123456789012:user/x is not authorized'));
  const response = await ask({});
  expect(response.status).toBe(502);
  const output = await response.clone().text();
  expect(await errorCodeOf(response)).toBe('upstream_error');
  expect(output).not.toContain('123456789012');
});
