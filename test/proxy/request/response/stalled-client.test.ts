/** A client that neither reads nor leaves, at the real gateway: its request ends when its time is over. */
import { afterAll, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { spentAtRest } from '../../../harness/books.ts';
import type { Behaviour } from '../../../harness/providers/scripted-provider.ts';
import { startFaultGateway } from '../../../upstream-faults/fault-gateway.ts';

const { harness, proxy, customer, scripted, expectAlive, stop } = await startFaultGateway();

afterAll(stop);

/** Sends as much as is read. */
const endless: Behaviour = (truth) => {
  const content = 'word'.padEnd(100).repeat(650);
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const longChunk = { ...chunk, choices: [{ index: 0, delta: { content }, finish_reason: null }] };
  const bytes = new TextEncoder().encode(`data: ${JSON.stringify(longChunk)}\n\n`);
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(bytes),
    cancel: () => {
      truth.aborted = true;
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
};

test('a stalled client is disconnected, the provider aborted, and the delivered output charged', async () => {
  scripted.on('faulty', endless);
  const { hostname, port } = new URL(proxy.url);
  const socket = connect(Number(port), hostname);
  socket.pause();
  const broken = new Promise<void>((resolve) => socket.on('error', () => resolve()));
  const body = JSON.stringify({
    // Requests to this model may take two seconds.
    model: 'fault/brief',
    stream: true,
    messages: [{ role: 'user', content: 'Hello?' }],
  });
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: test\r\nauthorization: Bearer ${customer.proxyKey}\r\n` +
      `content-length: ${body.length}\r\n\r\n${body}`,
  );
  await broken;
  expect(await spentAtRest(harness, customer.accountId)).toBeGreaterThan(0n);
  await waitFor('the abort upstream', guardTimeoutMs, async () => scripted.requests.at(-1)?.aborted === true);
  await expectAlive();
});
