/** Providers that misbehave in a whole response: a clear error that costs nothing, or the exact charge. */
import { afterAll, describe, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { usageOf } from '../../local/demo-provider/usage.ts';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { spentAtRest } from '../harness/books.ts';
import { chat } from '../harness/clients/chat.ts';
import { completionOf } from '../harness/providers/chunks.ts';
import { Gigabyte } from '../harness/providers/gigabyte.ts';
import { headOf } from '../harness/providers/raw-provider.ts';
import {
  type Behaviour,
  failWith,
  hang,
  rawResponse,
  untilAborted,
  wholeResponse,
  writtenResponse,
} from '../harness/providers/scripted-provider.ts';
import { estimatedPromptNano, outputNano, promptNano, startFaultGateway } from './fault-gateway.ts';

const { harness, scripted, raw, proxy, ask, expectAlive, stop } = await startFaultGateway();

afterAll(stop);

const whole = (usage?: object) => JSON.stringify({ ...completionOf({ content: 'one two three' }), usage });
const exact = usageOf(5, 3);
const exactNano = 5n * promptNano + 3n * outputNano;

async function expectFailure(model: string, code: string): Promise<void> {
  const { response, text, costNano } = await ask({ model });
  expect([response.status, JSON.parse(text).error.code]).toEqual([502, code]);
  expect(costNano).toBe(0n);
  await expectAlive();
}

describe('an invalid response is a 502 and costs nothing:', () => {
  const json = 'application/json';
  const behaviours: [name: string, behaviour: Behaviour][] = [
    ['HTML', rawResponse('<html>busy</html>', 'text/html')],
    ['HTML that calls itself JSON', rawResponse('<html>busy</html>')],
    ['an empty body', rawResponse('')],
    ['half a body', rawResponse(whole(exact).slice(0, 80))],
    ['an error inside a 200', rawResponse('{"error":{"message":"crashed"}}')],
    ['a redirect', () => Response.redirect('http://127.0.0.1:1/', 307)],
    ['a 204', () => new Response(null, { status: 204 })],
    [
      'what is said to be gzip and is not',
      () => new Response(whole(exact), { headers: { 'content-type': json, 'content-encoding': 'gzip' } }),
    ],
  ];
  for (const [name, behaviour] of behaviours) {
    test(name, async () => {
      scripted.on('faulty', behaviour);
      await expectFailure('fault/scripted', 'upstream_error');
    });
  }

  test('a redirect, which is not followed', async () => {
    const requestsBefore = scripted.requests.length;
    scripted.on('faulty', () => Response.redirect(`${scripted.baseUrl}/elsewhere`, 302));
    expect((await ask({ model: 'fault/scripted' })).response.status).toBe(502);
    expect(scripted.requests.length - requestsBefore).toBe(1);
  });

  test('a provider that is not listening', async () => expectFailure('fault/dead', 'upstream_error'));

  test('a connection that is reset instead of a response, or in the middle of one', async () => {
    raw.on((socket) => socket.resetAndDestroy());
    await expectFailure('fault/raw', 'upstream_error');
    raw.on((socket) => {
      socket.write(headOf({ 'content-type': json, 'content-length': '1000' }));
      socket.write(whole(exact).slice(0, 80), () => socket.resetAndDestroy());
    });
    await expectFailure('fault/raw', 'upstream_error');
  });

  test('a protocol other than HTTP', async () => {
    raw.on((socket) => socket.end('220 mail.example.com ESMTP\r\n\r\n'));
    await expectFailure('fault/raw', 'upstream_error');
  });

  test('no headers in time, without a retry, because the request may still run', async () => {
    scripted.on('faulty', hang);
    const requestsBefore = scripted.requests.length;
    const { response } = await ask({ model: 'fault/hasty' });
    expect(response.status).toBe(502);
    expect(scripted.requests.length - requestsBefore).toBe(1);
    await waitFor('the abort upstream', guardTimeoutMs, async () => scripted.requests.at(-1)?.aborted === true);
    await expectFailure('fault/hasty', 'upstream_timeout');
  });

  test('silence in the middle of a body', async () => {
    scripted.on(
      'faulty',
      writtenResponse(({ write, signal }) => {
        write('{"choices":');
        return untilAborted(signal);
      }, json),
    );
    await expectFailure('fault/hasty', 'upstream_timeout');
  });
});

describe('a response above 64 MiB', () => {
  const cap = 20;
  const bomb = new Uint8Array(gzipSync(new Uint8Array(256 * 1024 * 1024)));
  const gigabyte = () => new Gigabyte(new Uint8Array(1024 * 1024).fill(32));

  async function expectCharge(body: { model: string; max_tokens?: number; n?: number }, tokens: number): Promise<void> {
    const requestsBefore = scripted.requests.length;
    const { response, text, costNano } = await ask(body);
    expect([response.status, JSON.parse(text).error.code]).toEqual([400, 'answer_too_large']);
    expect(costNano).toBe(estimatedPromptNano + BigInt(tokens) * outputNano);
    expect(scripted.requests.length - requestsBefore).toBe(1);
    await expectAlive();
  }

  test('a response above 64 MiB is aborted and charged up to its hold, with a cap, n, or neither', async () => {
    const responses: Gigabyte[] = [];
    scripted.on('faulty', () => {
      const response = gigabyte();
      responses.push(response);
      return response.response('application/json');
    });
    await expectCharge({ model: 'fault/failover', max_tokens: cap }, cap);
    await expectCharge({ model: 'fault/failover', max_tokens: cap, n: 3 }, 3 * cap);
    await expectCharge({ model: 'fault/scripted' }, 2_048);
    for (const { writtenBytes } of responses) expect(writtenBytes).toBeLessThan(128 * 1024 * 1024);
  });

  test('a response above 64 MiB is aborted by its size after decompression', async () => {
    scripted.on('faulty', gzipResponse(bomb));
    await expectCharge({ model: 'fault/failover', max_tokens: cap }, cap);
  });

  test('a response above 64 MiB is charged no more than a small balance holds', async () => {
    scripted.on('faulty', gzipResponse(bomb));
    const poor = await harness.createCustomer({ usd: '0.001' });
    const response = await chat(proxy, poor.proxyKey, { model: 'fault/scripted' });
    expect([response.status, JSON.parse(await response.text()).error.code]).toEqual([400, 'answer_too_large']);
    const spent = await spentAtRest(harness, poor.accountId);
    expect(spent).toBeGreaterThan(500_000n);
    expect(spent).toBeLessThanOrEqual(1_000_000n);
  });
});

test('choices, cap and log probabilities that allow such a response are refused before anything is sent', async () => {
  const requestsBefore = scripted.requests.length;
  const largest = { n: 128, max_tokens: 2_048, logprobs: true, top_logprobs: 20 };
  const { response, text, costNano } = await ask({ model: 'fault/well', ...largest });
  expect(response.status).toBe(400);
  expect(JSON.parse(text).error).toMatchObject({ code: 'invalid_parameter', param: 'top_logprobs' });
  expect([costNano, scripted.requests.length - requestsBefore]).toEqual([0n, 0]);
  expect((await ask({ model: 'fault/well', ...largest, n: 1 })).response.status).toBe(200);
});

function gzipResponse(bytes: Uint8Array<ArrayBuffer>): Behaviour {
  return () => new Response(bytes, { headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } });
}

describe('an unusual but valid response is charged exactly:', () => {
  const responses: [name: string, behaviour: Behaviour][] = [
    ['gzip, though identity was asked for', gzipResponse(new Uint8Array(gzipSync(whole(exact))))],
    ['a wrong content type', rawResponse(whole(exact), 'text/plain')],
    ['blank lines before it, as some send to keep the connection alive', rawResponse(`\n\n\n${whole(exact)}`)],
  ];
  for (const [name, behaviour] of responses) {
    test(name, async () => {
      scripted.on('faulty', behaviour);
      const { response, text, costNano } = await ask({ model: 'fault/scripted' });
      expect(response.status).toBe(200);
      expect(JSON.parse(text).choices[0].message.content).toBe('one two three');
      expect(costNano).toBe(exactNano);
      expect(response.headers.get('x-cost-usd')).toBe('0.000035');
    });
  }

  test('absurd usage of a whole response is ignored, and the charge is an estimate', async () => {
    const absurd: object[] = [
      { prompt_tokens: -1, completion_tokens: 3 },
      { prompt_tokens: 5, completion_tokens: -3, total_tokens: -2 },
      { prompt_tokens: '5', completion_tokens: '3' },
      { prompt_tokens: 1e15, completion_tokens: 3 },
      { prompt_tokens: 0.5, completion_tokens: 3 },
      {},
    ];
    for (const usage of absurd) {
      scripted.on('faulty', rawResponse(whole(usage)));
      const { costNano } = await ask({ model: 'fault/scripted' });
      expect([usage, costNano]).toEqual([usage, estimatedPromptNano + 3n * outputNano]);
    }
  });
});

describe('before a failure is returned to the client,', () => {
  const well = rawResponse(whole(exact));

  test('a temporary failure is retried once', async () => {
    for (const status of [408, 429, 500, 502, 503, 504, 529]) {
      let requestsBefore = 0;
      scripted.on('faulty', (truth, request) => {
        requestsBefore += 1;
        return (requestsBefore === 1 ? failWith(status, 'busy', { 'retry-after-ms': '1' }) : well)(truth, request);
      });
      const { response, costNano } = await ask({ model: 'fault/scripted' });
      expect([status, response.status, requestsBefore, costNano]).toEqual([status, 200, 2, exactNano]);
    }
  });

  test('a permanent failure is not retried', async () => {
    for (const status of [400, 401, 403, 404, 405, 409, 413, 422, 501]) {
      const requestsBefore = scripted.requests.length;
      scripted.on('faulty', failWith(status, 'no'));
      const { response, costNano } = await ask({ model: 'fault/scripted' });
      expect([status, response.status, costNano]).toEqual([status, [400, 413, 422].includes(status) ? 400 : 502, 0n]);
      expect(scripted.requests.length - requestsBefore).toBe(1);
    }
    scripted.on('faulty', well);
    expect((await ask({ model: 'fault/scripted' })).response.status).toBe(200);
  });

  test("a provider's rate limit becomes a 503 with Retry-After, because it is never the customer's", async () => {
    const exhausted = { 'retry-after': '30', 'x-ratelimit-remaining-requests': '0' };
    scripted.on('faulty', failWith(429, 'rate limit', exhausted));
    const requestsBefore = scripted.requests.length;
    for (let time = 0; time < 3; time += 1) {
      const { response, text, costNano } = await ask({ model: 'fault/scripted' });
      expect([response.status, JSON.parse(text).error.code]).toEqual([503, 'no_healthy_deployment']);
      const seconds = Number(response.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(20);
      expect(seconds).toBeLessThanOrEqual(30);
      expect(costNano).toBe(0n);
    }
    // After the first request, the deployment is avoided.
    expect(scripted.requests.length - requestsBefore).toBe(1);
    await expectAlive();
  });

  test('the next deployment serves what one cannot do, and only if none can it is refused', async () => {
    scripted.on('well', wholeResponse({ usage: { promptTokens: 1, completionTokens: 1 } }));
    const asked = { n: 2, logit_bias: { 5: 1 } };
    const served = await ask({ model: 'fault/mixed', ...asked });
    expect(served.response.status).toBe(200);
    expect(served.response.headers.get('x-gateway-deployment')).toBe('scripted/well');
    const refused = await ask({ model: 'fault/unable', ...asked });
    expect([refused.response.status, JSON.parse(refused.text).error.code]).toEqual([400, 'unsupported_parameter']);
    // What has failed is told, not what could not be tried.
    scripted.on('faulty', failWith(500, 'down'));
    const failed = await ask({ model: 'fault/mixed-down', ...asked });
    // Or, if that is avoided now, that no deployment is healthy.
    expect([502, 503]).toContain(failed.response.status);
    expect(failed.costNano).toBe(0n);
  });

  test('the next deployment serves requests while one is down', async () => {
    scripted.on('faulty', failWith(500, 'down'));
    scripted.on('well', wholeResponse({ usage: { promptTokens: 1, completionTokens: 1 } }));
    const { response, costNano } = await ask({ model: 'fault/failover' });
    expect(response.headers.get('x-gateway-deployment')).toBe('scripted/well');
    expect(costNano).toBe(promptNano + outputNano);
    // The ledger also names the deployment that served the request.
    const booked = await harness.database.sql`
      SELECT deployment FROM usage_events WHERE request_id = ${response.headers.get('x-request-id')}`;
    expect([...booked]).toEqual([{ deployment: 'scripted/well' }]);
  });
});
