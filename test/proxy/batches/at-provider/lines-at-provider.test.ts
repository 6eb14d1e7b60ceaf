/** Lines on their way to a provider's batch: half of the batch's time, which is set here, is for gathering them, until a cancel. */
import { afterEach, beforeEach, expect, setSystemTime, test } from 'bun:test';
import { LinesAtProvider } from '../../../../proxy/batches/at-provider/lines-at-provider.ts';
import { ProviderRoom } from '../../../../proxy/batches/at-provider/provider-room.ts';
import type { UpstreamRequest } from '../../../../proxy/providers/adapter.ts';
import type { Batches, StoredBatch } from '../../../../proxy/storage/batches.ts';
import { batchDeployment, batchServicesOf } from '../../../harness/providers/batch-deployment.ts';
import { type BatchProvider, startBatchProvider } from '../../../harness/providers/batch-provider.ts';

const createdAt = 1_790_000_000;
const [halfSeconds, wholeSeconds] = [12 * 3_600, 24 * 3_600];
const never = new AbortController().signal;
let provider: BatchProvider;

beforeEach(() => {
  provider = startBatchProvider('openai');
});
afterEach(async () => {
  setSystemTime();
  await provider.stop();
});

const setAge = (seconds: number) => setSystemTime(new Date((createdAt + seconds) * 1_000));

function linesOfBatch() {
  const deployment = batchDeployment(provider, 'openai');
  const lines = new LinesAtProvider({
    services: batchServicesOf(deployment),
    batches: {
      writeSent: async () => {},
      listSent: async () => [{ deployment: deployment.name, providerBatchId: 'batch_1', lines: [1] }],
    } as unknown as Batches,
    batch: { id: 'batch_1', createdAt, expiresAt: createdAt + wholeSeconds } as StoredBatch,
    room: new ProviderRoom({ lines: 10, bytes: 1_000 }),
    responseRoom: new ProviderRoom({ lines: 10, bytes: 1_000 }),
    onChange: () => {},
  });
  const request = {
    url: `${provider.baseUrl}/chat/completions`,
    body: '{"messages":[{"role":"user","content":"Line 1"}]}',
  } as UpstreamRequest;
  const batched = (number: number) => lines.batchedAt({ number, bytes: 10, waits: () => {} }, [deployment]);
  return {
    deployment,
    request,
    lines,
    batched,
    send: () => batched(1)?.client.post(request, { ca: undefined, signal: never }),
  };
}

test('a line is sent to a batch of its provider until half of the time has passed', async () => {
  const { lines, batched, send } = linesOfBatch();
  setAge(halfSeconds - 10);
  expect((await send())?.status).toBe(200);
  expect(provider.batches.map(({ prompts }) => prompts)).toEqual([['Line 1']]);
  expect(batched(2)).toBeDefined();
  setAge(halfSeconds);
  expect(batched(2)).toBeUndefined();
  lines.close();
});

test('a line that waits for others at half of the time is given back, and sent on its own', async () => {
  const { lines, batched, send } = linesOfBatch();
  setAge(halfSeconds - 10);
  const waiting = send()?.catch((error: unknown) => error);
  await Promise.resolve();
  setAge(halfSeconds);
  lines.look();
  expect(await waiting).toMatchObject({ reason: 'unreachable' });
  expect(batched(1)).toBeUndefined();
  expect(provider.batches).toEqual([]);
  lines.close();
});

test('after a cancel, a line that cannot wait for its provider is sent nowhere else', async () => {
  const { deployment, request, lines } = linesOfBatch();
  lines.cancel();
  await lines.resume();
  expect(lines.has(1)).toBe(true);
  const other = { ...deployment, name: 'other/upstream', batches: false };
  const batched = lines.batchedAt({ number: 1, bytes: 10, waits: () => {} }, [other]);
  const failed = await batched?.client.post(request, { ca: undefined, signal: never }).catch((error: unknown) => error);
  expect(failed).toMatchObject({ reason: 'unreachable' });
  expect(lines.has(1)).toBe(false);
  lines.close();
});
