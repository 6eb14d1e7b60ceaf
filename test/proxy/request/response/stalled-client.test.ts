/** A client that neither reads nor leaves, at the real gateway: its request ends when its time is over. */
import { afterAll, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { eventOf } from '../../../../local/demo-provider/event-stream.ts';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { spentAtRest } from '../../../harness/books.ts';
import { chunkOf } from '../../../harness/providers/chunks.ts';
import { Gigabyte } from '../../../harness/providers/gigabyte.ts';
import { eventStream } from '../../../harness/providers/scripted-provider.ts';
import { startFaultGateway } from '../../../upstream-faults/fault-gateway.ts';

const { harness, proxy, customer, scripted, expectAlive, stop } = await startFaultGateway();

afterAll(stop);

/**
 * A stream that the client does not read, and what resolves when it is broken off. Requests to this model may take two seconds, which
 * on a busy machine can pass before the stream begins: then another one is begun.
 */
async function stall(): Promise<{ readonly socket: Socket; readonly broken: Promise<void> }> {
  const { hostname, port } = new URL(proxy.url);
  const body = JSON.stringify({
    model: 'fault/brief',
    stream: true,
    messages: [{ role: 'user', content: 'Hello?' }],
  });
  for (;;) {
    const socket = connect(Number(port), hostname);
    const broken = new Promise<void>((resolve) => socket.on('error', () => resolve()).on('close', () => resolve()));
    const begun = new Promise<string>((resolve) =>
      socket
        .once('close', () => resolve(''))
        .once('data', (bytes: Buffer) => {
          socket.pause();
          resolve(bytes.toString('latin1'));
        }),
    );
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: test\r\nauthorization: Bearer ${customer.proxyKey}\r\n` +
        `content-length: ${body.length}\r\n\r\n${body}`,
    );
    if ((await begun).startsWith('HTTP/1.1 200')) return { socket, broken };
    socket.destroy();
  }
}

test('a stalled client is disconnected, the provider aborted, and the delivered output charged', async () => {
  const chunk = chunkOf({ content: 'word'.padEnd(100).repeat(650) });
  const endless = new Gigabyte(Buffer.from(eventOf(chunk)));
  scripted.on('faulty', () => endless.response(eventStream));
  const { socket, broken } = await stall();
  await waitFor('the abort upstream', guardTimeoutMs, async () => scripted.requests.at(-1)?.aborted === true);
  expect(await spentAtRest(harness, customer.accountId)).toBeGreaterThan(0n);
  // Unread bytes may be before the end of the connection, which a client that reads nothing then does not see.
  socket.resume();
  await broken;
  await expectAlive();
});
