/** Providers that misbehave in a stream: a clean end or a clear error, the exact charge, and a proxy that survives. */
import { afterAll, describe, expect, test } from 'bun:test';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { lastEvent as done, eventOf } from '../../local/demo-provider/event-stream.ts';
import { usageOf } from '../../local/demo-provider/usage.ts';
import { spentAtRest } from '../harness/books.ts';
import { chat } from '../harness/clients/chat.ts';
import { chunkOf, firstChunk, usageChunk } from '../harness/providers/chunks.ts';
import { messageResponse } from '../harness/providers/completions.ts';
import { Gigabyte } from '../harness/providers/gigabyte.ts';
import { chunked, headOf } from '../harness/providers/raw-provider.ts';
import { hang, rawResponse, eventStream as sse, streamedResponse } from '../harness/providers/scripted-provider.ts';
import { estimatedPromptNano, outputNano, promptNano, startFaultGateway } from './fault-gateway.ts';

const { harness, proxy, customer, scripted, raw, ask, expectAlive, stop } = await startFaultGateway();

afterAll(stop);

const role = eventOf(firstChunk);
const content = (text: string) => eventOf(chunkOf({ content: text }));
const finish = eventOf(chunkOf({}, 'stop'));
const usage = (prompt: unknown, completion: unknown) =>
  eventOf(usageChunk({ prompt_tokens: prompt, completion_tokens: completion }));
const nonsense = 'data: nonsense\n\n';

const stream = { stream: true, max_tokens: 1000 };

/** A response's text, assembled from its chunks. */
function contentOf(text: string): string {
  return [...text.matchAll(/"content":"([^"]*)"/g)].map(([, chunk]) => chunk).join('');
}

async function respondTo(body: string | Uint8Array<ArrayBuffer>, type = sse) {
  scripted.on('faulty', rawResponse(body, type));
  return ask({ model: 'fault/scripted', ...stream });
}

function expectError(text: string, code: string): void {
  const last = text.trim().split('\n\n').at(-1) ?? '';
  expect(JSON.parse(last.replace('data: ', ''))).toMatchObject({ error: { code } });
  expect(text).not.toContain('[DONE]');
}

describe('a stream ends cleanly and is charged exactly with', () => {
  const cases: [name: string, body: string, received: string, costNano: bigint][] = [
    [
      'usage before the end',
      role + usage(5, 3) + content('a') + content('b') + content('c') + finish + done,
      'abc',
      5n * promptNano + 3n * outputNano,
    ],
    [
      'usage more than once: the last counts',
      role + usage(5, 1) + content('a') + usage(5, 2) + finish + usage(6, 4) + done,
      'a',
      6n * promptNano + 4n * outputNano,
    ],
    [
      'two ends of one choice',
      role + content('a') + finish + content('b') + finish + usage(5, 2) + done,
      'ab',
      5n * promptNano + 2n * outputNano,
    ],
    [
      'chunks after [DONE]',
      role + content('a') + finish + usage(5, 1) + done + content('late') + usage(9_999, 9_999) + done,
      'a',
      5n * promptNano + outputNano,
    ],
    ['no [DONE]', role + content('a') + finish + usage(5, 1), 'a', 5n * promptNano + outputNano],
    ['no usage', role + content('a') + content(' b') + finish + done, 'a b', estimatedPromptNano + 2n * outputNano],
    ['a usage of zero', role + content('a') + finish + usage(0, 0) + done, 'a', 0n],
    ['CRLF line ends', (role + content('a') + finish + usage(5, 1) + done).replaceAll('\n', '\r\n'), 'a', 15_000n],
    ['comments', `: hello\n\n${role}: ping\n\n${content('a')}${finish}${usage(5, 1)}${done}`, 'a', 15_000n],
  ];
  for (const [name, body, received, costNano] of cases) {
    test(name, async () => {
      const response = await respondTo(body);
      expect(response.response.status).toBe(200);
      expect(contentOf(response.text)).toBe(received);
      expect(response.text.endsWith('data: [DONE]\n\n')).toBe(true);
      expect(response.costNano).toBe(costNano);
    });
  }

  test('absurd usage, which is ignored, and what was delivered is estimated', async () => {
    const absurd: [prompt: unknown, completion: unknown][] = [
      [-5, 3],
      [5, -3],
      ['5', '3'],
      [1e15, 3],
      [5, 1e300],
      [1.5, 3],
      [null, null],
      [{}, []],
    ];
    for (const [prompt, completion] of absurd) {
      const response = await respondTo(role + content('a') + content(' b') + finish + usage(prompt, completion) + done);
      expect([prompt, completion, response.costNano]).toEqual([
        prompt,
        completion,
        estimatedPromptNano + 2n * outputNano,
      ]);
    }
  });

  test('a character split across two chunks, which arrives intact', async () => {
    const bytes = new TextEncoder().encode(role + content('Привет, 🌍!') + finish + usage(5, 4) + done);
    const cut = Buffer.from(bytes).indexOf(Buffer.from('🌍')) + 2;
    raw.on((socket) => {
      socket.write(headOf({ 'content-type': sse, 'content-length': String(bytes.length) }));
      socket.write(bytes.slice(0, cut));
      setTimeout(() => socket.write(bytes.slice(cut)), 5);
    });
    const response = await ask({ model: 'fault/raw', ...stream });
    expect(contentOf(response.text)).toBe('Привет, 🌍!');
    expect(response.costNano).toBe(5n * promptNano + 4n * outputNano);
  });

  test('gzip although identity was requested', async () => {
    const bytes = gzipSync(role + content('a') + finish + usage(5, 1) + done);
    scripted.on(
      'faulty',
      () => new Response(new Uint8Array(bytes), { headers: { 'content-type': sse, 'content-encoding': 'gzip' } }),
    );
    const response = await ask({ model: 'fault/scripted', ...stream });
    expect(contentOf(response.text)).toBe('a');
    expect(response.costNano).toBe(15_000n);
  });
});

describe('a stream that fails before any output is a 502 and costs nothing:', () => {
  const html = '<html>\n\n<h1>Busy</h1>\n\n</html>';
  const cases: [name: string, body: string, type?: string][] = [
    ['HTML', html, 'text/html'],
    ['HTML that calls itself a stream', html],
    ['an empty body', ''],
    ['only comments', ': ping\n\n: ping\n\n'],
    ['only [DONE]', done],
    ['an error as the first event', eventOf({ error: { message: 'crashed' } }) + done],
    ['an error as JSON', '{"error":{"message":"crashed"}}', 'application/json'],
    ['a whole response instead of a stream', '{"choices":[]}', 'application/json'],
    [
      'an error in one chunk with the output before it',
      role + content('a') + eventOf({ error: { message: 'crashed' } }),
    ],
    ['half an event', 'data: {"id":'],
    ['no JSON', nonsense],
    ['a corrupt event', eventOf({ choices: 5 })],
  ];
  for (const [name, body, type] of cases) {
    test(name, async () => {
      const { response, text, costNano } = await respondTo(body, type);
      expect(response.status).toBe(502);
      expect(JSON.parse(text)).toMatchObject({ error: { code: 'upstream_error', type: 'upstream_error' } });
      expect(costNano).toBe(0n);
    });
  }

  test('the next deployment serves the request instead', async () => {
    scripted.on('faulty', rawResponse(eventOf({ error: { message: 'overloaded' } }), sse));
    scripted.on('well', rawResponse(role + content('well') + finish + usage(1, 1) + done, sse));
    const { response, text, costNano } = await ask({ model: 'fault/failover', ...stream });
    expect(response.headers.get('x-gateway-deployment')).toBe('scripted/well');
    expect(contentOf(text)).toBe('well');
    expect(costNano).toBe(promptNano + outputNano);
  });

  test('a line of a gigabyte is aborted after a few megabytes', async () => {
    const gigabyte = new Gigabyte(new Uint8Array(256 * 1024).fill(120));
    scripted.on('faulty', () => gigabyte.response(sse));
    const { response, costNano } = await ask({ model: 'fault/scripted', ...stream });
    expect(response.status).toBe(502);
    expect(costNano).toBe(0n);
    expect(gigabyte.writtenBytes).toBeLessThan(64 * 1024 * 1024);
  });
});

describe('a failure in mid-stream is reported without [DONE], and the delivered part is charged, for', () => {
  const delivered = estimatedPromptNano + 2n * outputNano;
  const started = role + content('a') + content(' b');
  const cases: [name: string, body: string | Uint8Array<ArrayBuffer>][] = [
    ['an end without a finish reason', started],
    ['[DONE] without a finish reason', started + done],
    ['half a character at the end', new TextEncoder().encode(`${started}data: {"choices":"🌍`).slice(0, -2)],
  ];
  for (const [name, body] of cases) {
    test(name, async () => {
      const { response, text, costNano } = await respondTo(body);
      expect(response.status).toBe(200);
      expect(contentOf(text)).toBe('a b');
      expectError(text, 'upstream_error');
      expect(costNano).toBe(delivered);
    });
  }

  /** The client has the beginning; now the provider continues like this. */
  async function afterTheBeginning(goOn: (socket: Socket) => void): Promise<{ text: string; costNano: bigint }> {
    let socket: Socket | undefined;
    raw.on((connection) => {
      socket = connection;
      connection.write(headOf({ 'content-type': sse, 'transfer-encoding': 'chunked' }));
      connection.write(chunked(started));
    });
    const before = await spentAtRest(harness, customer.accountId);
    const response = await chat(proxy, customer.proxyKey, { model: 'fault/raw', ...stream });
    let text = '';
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes);
      if (contentOf(text) === 'a b' && socket !== undefined) goOn(socket);
      socket = undefined;
    }
    return { text, costNano: (await spentAtRest(harness, customer.accountId)) - before };
  }

  const endings: [name: string, goOn: (socket: Socket) => void][] = [
    ['a connection that is reset', (socket) => socket.resetAndDestroy()],
    ['a connection that is closed', (socket) => socket.end()],
    ['an error', (socket) => socket.write(chunked(eventOf({ error: { message: 'crashed' } })))],
    ['an event that is no JSON', (socket) => socket.write(chunked(nonsense))],
    ['a broken encoding', (socket) => socket.write('nonsense\r\nnonsense\r\n')],
  ];
  for (const [name, goOn] of endings) {
    test(name, async () => {
      const { text, costNano } = await afterTheBeginning(goOn);
      expect(contentOf(text)).toBe('a b');
      expectError(text, 'upstream_error');
      expect(costNano).toBe(delivered);
    });
  }

  test('an error in one chunk with output, which is delivered', async () => {
    const { text, costNano } = await afterTheBeginning((socket) =>
      socket.write(chunked(content(' c') + eventOf({ error: { message: 'crashed' } }))),
    );
    expect(contentOf(text)).toBe('a b c');
    expectError(text, 'upstream_error');
    expect(costNano).toBe(delivered + outputNano);
  });

  test('silence, after the provider’s idle timeout', async () => {
    scripted.on('faulty', streamedResponse({ tokens: 10, after: { tokens: 3, ends: 'stall' } }));
    const { text, costNano } = await ask({ model: 'fault/hasty', ...stream });
    expectError(text, 'upstream_timeout');
    expect(costNano).toBe(estimatedPromptNano + 3n * outputNano);
  });

  test('a response that takes too long in total', async () => {
    scripted.on('faulty', streamedResponse({ tokens: 100_000, delayMs: 20 }));
    const { text, costNano } = await ask({ model: 'fault/brief', ...stream });
    expectError(text, 'upstream_timeout');
    expect(costNano).toBe(estimatedPromptNano + BigInt([...text.matchAll(/"content":"\d/g)].length) * outputNano);
  });
});

test('missing headers in time are a 502 that is not retried, because the request may still run', async () => {
  scripted.on('faulty', hang);
  const requestsBefore = scripted.requests.length;
  const { response, text, costNano } = await ask({ model: 'fault/hasty', ...stream });
  expect(response.status).toBe(502);
  expect(text).toContain('upstream_timeout');
  expect(costNano).toBe(0n);
  expect(scripted.requests.length - requestsBefore).toBe(1);
});

test('the proxy serves and charges as before after all of these faults', async () => {
  scripted.on('well', messageResponse({ content: 'Hello.' }, 'stop', usageOf(1, 1)));
  await expectAlive();
});
