/** A file of 200 MiB passes through the proxy, in and out, in little memory. */
import { afterAll, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { startProxyProgram } from '../../harness/gateway.ts';
import { clientOf } from '../../harness/storage/run-batch.ts';
import { openTestStore } from '../../harness/storage/stores.ts';

const place = await openTestStore('folder');
const { harness, proxy, stop } = await startProxyProgram({ proxyEnvironment: place.environment });

afterAll(async () => {
  await stop();
  await place.remove();
});

const megabyte = 1024 * 1024;
const fileBytes = 200 * megabyte - 1024;
/** A third of the file: what has passed is garbage until the collector runs, later on a busy machine. */
const growthMax = 64 * megabyte;

/** What the proxy takes now, and the most that it has taken, in bytes. */
function memoryOf(name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${proxy.pid}/status`, 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024;
}

/** Lines that are all different, made as they are sent. */
function inputOf(bytes: number): ReadableStream<Uint8Array> {
  const boundary = 'b';
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="large.jsonl"\r\n\r\n`;
  const tail = `\r\n--${boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--${boundary}--\r\n`;
  let [sent, line] = [0, 0];
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent === 0) controller.enqueue(Buffer.from(head));
      let text = '';
      while (text.length < 256 * 1024) {
        line += 1;
        text += `{"custom_id":"line-${line}","method":"POST","url":"/v1/chat/completions","body":{"n":"${'x'.repeat(4_000)}"}}\n`;
      }
      const chunk = Buffer.from(text).subarray(0, bytes - sent);
      sent += chunk.length;
      controller.enqueue(chunk);
      if (sent < bytes) return;
      controller.enqueue(Buffer.from(tail));
      controller.close();
    },
  });
}

test.skipIf(process.platform !== 'linux')(
  'neither an upload nor a download makes the proxy grow by 64 MiB',
  async () => {
    const customer = await harness.createCustomer({ usd: '1' });
    const client = clientOf(proxy, customer.proxyKey);
    await waitFor('the wallet', guardTimeoutMs, () => client.files.list().catch(() => undefined));
    const authorization = `Bearer ${customer.proxyKey}`;
    const headers = { authorization, 'content-type': 'multipart/form-data; boundary=b' };
    const upload = (bytes: number) => fetch(`${proxy.url}/v1/files`, { method: 'POST', headers, body: inputOf(bytes) });
    // The first file loads code, and starting took more for a moment.
    await (await upload(8 * megabyte)).text();
    writeFileSync(`/proc/${proxy.pid}/clear_refs`, '5');
    const before = memoryOf('VmRSS');
    const response = await upload(fileBytes);
    const file = (await response.json()) as { id: string; bytes: number };
    expect([response.status, file.bytes]).toEqual([200, fileBytes]);
    expect(memoryOf('VmHWM') - before).toBeLessThan(growthMax);

    const content = await fetch(`${proxy.url}/v1/files/${file.id}/content`, { headers: { authorization } });
    let read = 0;
    for await (const chunk of content.body ?? []) read += chunk.byteLength;
    expect(read).toBe(fileBytes);
    expect(memoryOf('VmHWM') - before).toBeLessThan(growthMax);
  },
);
