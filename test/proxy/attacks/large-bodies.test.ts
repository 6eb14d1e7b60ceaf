/**
 * Large bodies in flight stay within the memory that the manifests give a proxy, however JavaScript stores their text;
 * what is too large is refused, and all streams continue.
 */
import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { parse } from 'yaml';
import { waitFor } from '../../harness/account-view.ts';
import {
  hasHead,
  type RawConnection,
  rawConnection,
  requestHead,
  statusOf,
} from '../../harness/clients/raw-exchange.ts';
import { startProxyProgram } from '../../harness/gateway.ts';

const mebibyte = 1024 * 1024;
const guardMs = 240_000;
const isLinux = process.platform === 'linux';

const manifests = join(import.meta.dir, '../../../deploy/kubernetes/base');
const deployment = (await Bun.file(join(manifests, 'proxy.yaml')).text()).split('\n---\n')[0] ?? '';
const memory: string = parse(deployment).spec.template.spec.containers[0].resources.limits.memory;
const limitMebibytes = Number(/^(\d+)Gi$/.exec(memory)?.[1]) * 1024;
const [, maxBodies = ''] =
  /MAX_BODIES_BYTES=(\d+)/.exec(await Bun.file(join(manifests, 'kustomization.yaml')).text()) ?? [];

/** What the provider waits for before it responds to large prompts, and before it ends its stream. */
const released = Promise.withResolvers<void>();
const ending = Promise.withResolvers<void>();
const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
let arrived = 0;
let streamedChunks = 0;
/** Keeps nothing of what it reads. */
const provider = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  maxRequestBodySize: 64 * mebibyte,
  fetch: async (request) => {
    if (request.url.includes('/streaming/')) {
      return new Response(chunks(), { headers: { 'content-type': 'text/event-stream' } });
    }
    await request.arrayBuffer();
    arrived += 1;
    await released.promise;
    const message = { role: 'assistant', content: 'Hello.' };
    return Response.json({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage });
  },
});

async function* chunks(): AsyncGenerator<string> {
  let isEnding = false;
  void ending.promise.then(() => {
    isEnding = true;
  });
  const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
  const choice = (delta: object, finish: string | null) =>
    event({ choices: [{ index: 0, delta, finish_reason: finish }] });
  while (!isEnding) {
    yield choice({ content: 'word ' }, null);
    streamedChunks += 1;
    await Bun.sleep(20);
  }
  yield `${choice({}, 'stop')}${event({ choices: [], usage })}data: [DONE]\n\n`;
}

const base = `http://127.0.0.1:${provider.port}`;
const modelAt = (id: string) => `
  - id: large/${id}
    kind: chat
    ownedBy: test
    contextTokens: 32768
    maxOutputTokens: 100000
    price: { prompt: "0.50", completion: "1.50" }
    deployments: [{ provider: ${id}, model: m }]`;
const { harness, proxy, stop } = await startProxyProgram({
  catalogue: () => `
providers:
  - { id: slow, protocol: openai, baseUrl: "${base}/v1" }
  - { id: streaming, protocol: openai, baseUrl: "${base}/streaming/v1" }
models:${modelAt('slow')}${modelAt('streaming')}`,
  proxyEnvironment: { MAX_BODIES_BYTES: maxBodies },
});
const customer = await harness.createCustomer({ usd: '100' });
const connections: RawConnection[] = [];

afterAll(async () => {
  for (const connection of connections) connection.close();
  await provider.stop(true);
  await stop();
});

async function peakMebibytes(): Promise<number> {
  const status = await Bun.file(`/proc/${proxy.pid}/status`).text();
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

/** English with one Cyrillic letter, for which JavaScript stores all of it in two bytes a character. */
const prompt = `ж${'word '.repeat((19 * mebibyte) / 5)}`;
const body = Buffer.from(JSON.stringify({ model: 'large/slow', messages: [{ role: 'user', content: prompt }] }));

function send(): RawConnection {
  const connection = rawConnection(proxy.url);
  connections.push(connection);
  const headers = { authorization: `Bearer ${customer.proxyKey}`, 'content-length': body.length };
  connection.send(requestHead('POST /v1/chat/completions', headers));
  connection.send(body);
  return connection;
}

const hasResponded = ({ text }: RawConnection) => hasHead(text) && text.includes('}');
const responseOf = (connection: RawConnection) => connection.until(() => hasResponded(connection));

/** The text of a streamed response, as it grows. */
async function openStream(): Promise<{ text: string; readonly ended: Promise<void> }> {
  const response = await fetch(`${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.proxyKey}` },
    body: JSON.stringify({ model: 'large/streaming', stream: true, messages: [{ role: 'user', content: 'Go on.' }] }),
  });
  expect(response.status).toBe(200);
  const stream = { text: '', ended: Promise.resolve() };
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) stream.text += decoder.decode(chunk, { stream: true });
  };
  stream.ended = read();
  return stream;
}

/** One after the other, while none has a response; returns the first response. */
async function sendUntilRefused(before: number): Promise<string> {
  for (let more = 1; more <= 24; more += 1) {
    const connection = send();
    await waitFor('one more', guardMs, async () => arrived === before + more || hasResponded(connection));
    if (hasResponded(connection)) return connection.text;
  }
  throw new Error('nothing was refused');
}

test.skipIf(!isLinux)(
  '24 bodies of 19 MiB fit into the memory of the manifests, more are refused, and streams continue',
  async () => {
    const stream = await openStream();
    const first: RawConnection[] = [];
    // Not all concurrently: Bun closes a connection whose request it has not read within 12 seconds, even on a busy
    // machine.
    while (first.length < 24) {
      first.push(send(), send(), send(), send());
      await waitFor(
        'the provider to have them',
        guardMs,
        async () => arrived === first.length || first.some(hasResponded),
      );
    }
    expect(first.filter(hasResponded).map(({ text }) => text)).toEqual([]);
    const refused = await sendUntilRefused(first.length);
    expect(statusOf(refused)).toBe(503);
    expect(refused).toMatch(/\r\nretry-after: \d+\r\n/i);
    expect(refused).toContain('"code":"overloaded"');
    released.resolve();
    const statuses = (await Promise.all(first.map(responseOf))).map(statusOf);
    expect(statuses).toEqual(first.map(() => 200));
    expect(await peakMebibytes()).toBeLessThan(limitMebibytes);
    ending.resolve();
    await stream.ended;
    expect(stream.text).toEndWith('data: [DONE]\n\n');
    expect(stream.text.split('"content":"word "').length - 1).toBe(streamedChunks);
  },
  guardMs,
);
