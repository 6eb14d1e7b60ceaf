/** What happens upstream when the client leaves, and within which limits. */
import { expect, jest, test } from 'bun:test';
import { ClientDeparture, drainLimits } from '../../../../proxy/request/response/client-departure.ts';

function departureWith(onDisconnect: 'abort' | 'drain', limits = { timeoutMs: 60_000, maxBytes: 100 }) {
  const abort = new AbortController();
  const departure = new ClientDeparture(abort, limits);
  departure.onDisconnect = onDisconnect;
  return { departure, signal: abort.signal };
}

test('the setting `abort` aborts the request at the provider as soon as the client leaves', () => {
  const { departure, signal } = departureWith('abort');
  departure.leave();
  expect(signal.reason).toBe('client_gone');
});

test('the setting `drain` reads the response up to a number of bytes after the client has left', () => {
  const { departure, signal } = departureWith('drain');
  departure.received(1_000);
  departure.leave();
  departure.received(100);
  expect(signal.aborted).toBe(false);
  departure.received(1);
  expect(signal.reason).toBe('client_gone');
  departure.end();
});

test('the setting `drain` reads the response for a limited time after the client has left', async () => {
  const { departure, signal } = departureWith('drain', { timeoutMs: 1, maxBytes: 100 });
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  departure.leave();
  await aborted;
  expect(signal.reason).toBe('client_gone');
});

test('a response without drain limits is read to its end after the client has left', () => {
  jest.useFakeTimers();
  const abort = new AbortController();
  const departure = new ClientDeparture(abort, null);
  departure.onDisconnect = 'drain';
  departure.leave();
  departure.received(Number.MAX_SAFE_INTEGER);
  jest.advanceTimersByTime(3_600_000);
  jest.useRealTimers();
  expect(abort.signal.aborted).toBe(false);
});

test('a request is aborted immediately if its client leaves before a provider is called', () => {
  const abort = new AbortController();
  new ClientDeparture(abort, drainLimits).leave();
  expect(abort.signal.reason).toBe('client_gone');
});
