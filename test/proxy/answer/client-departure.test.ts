/** What happens upstream when the client leaves, within which limits. */
import { expect, test } from 'bun:test';
import { ClientDeparture } from '../../../proxy/answer/client-departure.ts';

function departureWith(onDisconnect: 'abort' | 'drain', limits = { timeoutMs: 60_000, maxBytes: 100 }) {
  const abort = new AbortController();
  const departure = new ClientDeparture(abort, limits);
  departure.onDisconnect = onDisconnect;
  return { departure, signal: abort.signal };
}

test('where the provider stops billing, it is told to stop at once', () => {
  const { departure, signal } = departureWith('abort');
  departure.leave();
  expect(signal.reason).toBe('client_gone');
});

test('where it bills the whole answer, that is read on, up to a number of bytes', () => {
  const { departure, signal } = departureWith('drain');
  departure.received(1_000);
  departure.leave();
  departure.received(100);
  expect(signal.aborted).toBe(false);
  departure.received(1);
  expect(signal.reason).toBe('client_gone');
  departure.end();
});

test('and up to a time', async () => {
  const { departure, signal } = departureWith('drain', { timeoutMs: 1, maxBytes: 100 });
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  departure.leave();
  await aborted;
  expect(signal.reason).toBe('client_gone');
});

test('while no provider is at work there is nothing to wait for', () => {
  const abort = new AbortController();
  new ClientDeparture(abort).leave();
  expect(abort.signal.reason).toBe('client_gone');
});
