/** A client that neither reads nor leaves, at the real gateway: its request ends when its time is over. */
import { afterAll, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { eventOf } from '../../../../local/demo-provider/event-stream.ts';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { spentAtRest } from '../../../harness/books.ts';
import { chunkOf } from '../../../harness/providers/chunks.ts';
import { Gigabyte } from '../../../harness/providers/gigabyte.ts';
import { eventStream } from '../../../harness/providers/scripted-provider.ts';
import { startFaultGateway } from '../../../upstream-faults/fault-gateway.ts';

const { harness, proxy, customer, scripted, expectAlive, stop } = await startFaultGateway();

afterAll(stop);

test('a stalled client is disconnected, the provider aborted, and the delivered output charged', async () => {
  const chunk = chunkOf({ content: 'word'.padEnd(100).repeat(650) });
  const endless = new Gigabyte(Buffer.from(eventOf(chunk)));
  scripted.on('faulty', () => endless.response(eventStream));
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
