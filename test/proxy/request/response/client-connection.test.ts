/** What happens upstream when the client leaves, and within which limits. */
import { expect, jest, test } from 'bun:test';
import { ClientConnection, drainLimits } from '../../../../proxy/request/response/client-connection.ts';

function connectionWith(onDisconnect: 'abort' | 'drain', limits = { timeoutMs: 60_000, maxBytes: 100 }) {
  const abort = new AbortController();
  const connection = new ClientConnection(abort, limits);
  connection.onDisconnect = onDisconnect;
  return { connection, signal: abort.signal };
}

test('the setting `abort` aborts the request at the provider as soon as the client leaves', () => {
  const { connection, signal } = connectionWith('abort');
  connection.close();
  expect(signal.reason).toBe('client_gone');
});

test('the setting `drain` reads the response up to a number of bytes after the client has left', () => {
  const { connection, signal } = connectionWith('drain');
  connection.received(1_000);
  connection.close();
  connection.received(100);
  expect(signal.aborted).toBe(false);
  connection.received(1);
  expect(signal.reason).toBe('client_gone');
  connection.end();
});

test('the setting `drain` reads the response for a limited time after the client has left', async () => {
  const { connection, signal } = connectionWith('drain', { timeoutMs: 1, maxBytes: 100 });
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  connection.close();
  await aborted;
  expect(signal.reason).toBe('client_gone');
});

test('a response without drain limits is read to its end after the client has left', () => {
  jest.useFakeTimers();
  const abort = new AbortController();
  const connection = new ClientConnection(abort, null);
  connection.onDisconnect = 'drain';
  connection.close();
  connection.received(Number.MAX_SAFE_INTEGER);
  jest.advanceTimersByTime(3_600_000);
  jest.useRealTimers();
  expect(abort.signal.aborted).toBe(false);
});

test('a request is aborted immediately if its client leaves before a provider is called', () => {
  const abort = new AbortController();
  new ClientConnection(abort, drainLimits).close();
  expect(abort.signal.reason).toBe('client_gone');
});
