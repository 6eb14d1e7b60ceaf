/** A streamed response keeps its turn exactly as long as it is streamed. */
import { expect, test } from 'bun:test';
import { HeavyWork, heavyLimits } from '../../../admin/heavy-work/heavy-work.ts';
import { streamInTurn } from '../../../admin/heavy-work/stream-in-turn.ts';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';

const one = { atOnce: 1, accountAtOnce: 1 };
const limits = { ...heavyLimits, accountWaiting: 0, kinds: { document: one, query: one, export: one } };
const never = new AbortController().signal;
const chunk = new Uint8Array(10);

const mayRead = async () => {};

function start(
  chunks: number,
  { failure, reauthorize = mayRead }: { failure?: Error; reauthorize?: () => Promise<void> } = {},
) {
  const work = new HeavyWork(limits);
  const client = new AbortController();
  const source = { cancelled: false, left: chunks };
  const stream = streamInTurn(work, { kind: 'export', accountId: 1, signal: client.signal, reauthorize }, async () => {
    return new ReadableStream({
      pull: (controller) => {
        if (failure !== undefined && source.left === 1) throw failure;
        if (source.left === 0) controller.close();
        else controller.enqueue(chunk);
        source.left -= 1;
      },
      cancel: () => {
        source.cancelled = true;
      },
    });
  });
  const isFree = () => work.run({ kind: 'export', accountId: 1, signal: never }, async () => true).catch(() => false);
  return { client, source, stream, isFree };
}

test('a streamed response keeps its turn until it was read completely', async () => {
  const { stream, isFree } = start(3);
  const open = await stream;
  expect(await isFree()).toBe(false);
  expect((await new Response(open).bytes()).length).toBe(30);
  expect(await isFree()).toBe(true);
});

test('a streamed response keeps its turn until its reader cancels it', async () => {
  const { source, stream, isFree } = start(1_000);
  const reader = (await stream).getReader();
  await reader.read();
  expect(await isFree()).toBe(false);
  await reader.cancel();
  expect([await isFree(), source.cancelled]).toEqual([true, true]);
});

test('a streamed response keeps its turn until the client has left, even one that reads nothing', async () => {
  const { client, source, stream, isFree } = start(1_000);
  const reader = (await stream).getReader();
  expect(await isFree()).toBe(false);
  client.abort();
  expect([await isFree(), source.cancelled]).toEqual([true, true]);
  // What was read ahead is still there.
  const readAll = async () => {
    while (!(await reader.read()).done);
  };
  expect(readAll()).rejects.toThrow();
});

test('a streamed response keeps its turn until its caller may no longer read it', async () => {
  let checks = 0;
  const reauthorize = async () => {
    checks += 1;
    // An outage of Postgres refuses nobody.
    if (checks === 2) throw Object.assign(new Error('closed'), { code: 'CONNECTION_CLOSED' });
    if (checks === 3) throw new Error('the session has ended');
  };
  const { source, stream, isFree } = start(1_000, { reauthorize });
  const open = await stream;
  await waitFor('the end of the turn', guardTimeoutMs, isFree);
  expect([checks, source.cancelled]).toEqual([3, true]);
  expect(new Response(open).bytes()).rejects.toThrow('the session has ended');
});

test('a streamed response keeps its turn until it fails', async () => {
  const { stream, isFree } = start(3, { failure: new Error('the table is gone') });
  expect(new Response(await stream).bytes()).rejects.toThrow('the table is gone');
  await new Promise(setImmediate);
  expect(await isFree()).toBe(true);
});

test('a streamed response that cannot be opened keeps no turn', async () => {
  const work = new HeavyWork(limits);
  const task = { kind: 'export', accountId: 1, signal: never, reauthorize: mayRead } as const;
  expect(streamInTurn(work, task, () => Promise.reject(new Error('no such account')))).rejects.toThrow('no such');
  await new Promise(setImmediate);
  expect(await work.run(task, async () => true)).toBe(true);
});
