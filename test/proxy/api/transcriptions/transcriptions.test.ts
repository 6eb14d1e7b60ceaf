/**
 * POST /v1/audio/transcriptions and /v1/audio/translations: what is accepted and refused, what a failure and a hang-up cost, and
 * what a recording takes in memory.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import { guardTimeoutMs, logIn, waitFor } from '../../../harness/account-view.ts';
import { spentAtRest } from '../../../harness/books.ts';
import {
  durationOf,
  formOf,
  secondNano,
  startRecordingGateway,
  tokensOf,
  transcript,
  wavOf,
} from '../../../harness/providers/recordings.ts';
import {
  type Behaviour,
  failWith,
  rawResponse,
  writtenResponse,
} from '../../../harness/providers/scripted-provider.ts';

const { harness, provider, admin, proxy, newCustomer, transcribe, stop } = await startRecordingGateway();
afterAll(stop);

async function refusalOf(response: Response) {
  const { error } = (await response.json()) as { error: { code: string; param: string | null } };
  return { status: response.status, code: error.code, param: error.param };
}

const mebibyte = 1024 * 1024;

describe('a request for a transcript', () => {
  test.each([
    [{ temperature: '1.5' }, 'invalid_parameter', 'temperature'],
    [{ temperature: 'warm' }, 'invalid_parameter', 'temperature'],
    [{ language: 'English, please' }, 'invalid_parameter', 'language'],
    [{ response_format: 'pdf' }, 'invalid_parameter', 'response_format'],
    [{ 'timestamp_granularities[]': ['word', 'letter'] }, 'invalid_parameter', 'timestamp_granularities'],
    [{ stream: 'maybe' }, 'invalid_parameter', 'stream'],
    [{ stream: 'true' }, 'unsupported_parameter', 'stream'],
    [{ provider: 'openai' }, 'invalid_parameter', 'provider'],
    [{ model: 'test/chat' }, 'invalid_parameter', 'model'],
    [{ diarize: 'true' }, 'unsupported_parameter', 'diarize'],
    [{ prompt: 'x'.repeat(32_001) }, 'invalid_parameter', 'prompt'],
  ])('is refused before anything is held (%#)', async (fields, code, param) => {
    const { customer } = await newCustomer();
    const requestsBefore = provider.requests.length;
    expect(await refusalOf(await transcribe(customer, fields))).toEqual({ status: 400, code, param });
    expect(provider.requests.length).toBe(requestsBefore);
    expect(await (await logIn(admin, customer)).balance()).toMatchObject({ available: 10, reserved: 0 });
  });

  test.each([
    ['none', new Uint8Array(), { status: 400, code: 'missing_parameter', param: 'file' }],
    ['a text', new TextEncoder().encode('Dear diary'), { status: 400, code: 'invalid_parameter', param: 'file' }],
    [
      'a picture',
      Buffer.from('iVBORw0KGgoAAAANSUhEUgAA', 'base64'),
      { status: 400, code: 'invalid_parameter', param: 'file' },
    ],
    ['too large', new Uint8Array(25 * mebibyte + 1), { status: 413, code: 'body_too_large', param: 'file' }],
  ])('is refused if its file is %s', async (_, file, refusal) => {
    const { customer } = await newCustomer();
    expect(await refusalOf(await transcribe(customer, {}, { file }))).toEqual(refusal);
    expect(await spentAtRest(harness, customer.accountId)).toBe(0n);
  });

  test.each([
    ['JSON', JSON.stringify({ model: 'test/by-second' }), 'application/json'],
    ['a form without a boundary', 'x', 'multipart/form-data'],
    [
      'cut off',
      '--b\r\ncontent-disposition: form-data; name="model"\r\n\r\ntest/by-sec',
      'multipart/form-data; boundary=b',
    ],
    ['of nothing', '', 'multipart/form-data; boundary=b'],
  ])('is refused if it is %s', async (_, body, type) => {
    const { customer } = await newCustomer();
    const headers = { authorization: `Bearer ${customer.proxyKey}`, 'content-type': type };
    const response = await fetch(`${proxy.url}/v1/audio/transcriptions`, { method: 'POST', headers, body });
    expect(await refusalOf(response)).toEqual({ status: 400, code: 'invalid_form', param: null });
  });

  test('is refused with a second file, and without a key before its body is read', async () => {
    const { customer } = await newCustomer();
    const form = formOf({ model: 'test/by-second' }, wavOf(1));
    form.append('other', new Blob(['x']), 'b.wav');
    const headers = { authorization: `Bearer ${customer.proxyKey}` };
    const response = await fetch(`${proxy.url}/v1/audio/transcriptions`, { method: 'POST', headers, body: form });
    expect(await refusalOf(response)).toMatchObject({ status: 400, code: 'invalid_form' });
    const unknown = { ...customer, proxyKey: 'sk-none' };
    expect((await transcribe(unknown, {}, { file: wavOf(100) })).status).toBe(401);
  });

  test('passes on what the provider knows, and names further models and providers in JSON', async () => {
    const { customer } = await newCustomer();
    provider.on('upstream-listener', transcript(durationOf(8)));
    const fields = {
      response_format: 'verbose_json',
      'timestamp_granularities[]': ['word', 'segment'],
      'include[]': 'logprobs',
      chunking_strategy: '{"type":"server_vad"}',
      models: '["test/two-providers"]',
      provider: '{"allow_fallbacks":false}',
    };
    expect((await transcribe(customer, fields)).status).toBe(200);
    const { file: _, ...sent } = provider.requests.at(-1)?.body ?? {};
    expect(sent).toEqual({
      model: 'upstream-listener',
      response_format: 'verbose_json',
      'timestamp_granularities[]': ['word', 'segment'],
      'include[]': ['logprobs'],
      chunking_strategy: '{"type":"server_vad"}',
    });
  });

  test('that the balance does not cover is refused before the provider is called', async () => {
    const { customer } = await newCustomer('0.0005');
    const requestsBefore = provider.requests.length;
    const refusal = await refusalOf(await transcribe(customer));
    expect(refusal).toMatchObject({ status: 403, code: 'insufficient_balance' });
    expect(provider.requests.length).toBe(requestsBefore);
  });
});

test('a transcript is rendered as text, as subtitles and with times', async () => {
  const { customer } = await newCustomer();
  const segments = [
    { id: 0, seek: 0, start: 0, end: 2.5, text: ' Hello,', tokens: [1], secret: 1 },
    { id: 1, seek: 0, start: 2.5, end: 3_723.0049, text: ' world.\n\nAnd --> on.', tokens: [2] },
  ];
  provider.on('upstream-listener', transcript({ duration: 3_723.5, language: 'english', segments, secret: 'x' }));
  const as = async (format: string) => {
    const response = await transcribe(customer, { response_format: format });
    return { type: response.headers.get('content-type'), text: await response.text() };
  };
  expect(await as('text')).toEqual({ type: 'text/plain; charset=utf-8', text: 'Hello, world.\n' });
  expect((await as('srt')).text).toBe(
    '1\n00:00:00,000 --> 00:00:02,500\nHello,\n\n2\n00:00:02,500 --> 01:02:03,005\nworld.\nAnd -> on.\n',
  );
  expect((await as('vtt')).text).toBe(
    'WEBVTT\n\n00:00:00.000 --> 00:00:02.500\nHello,\n\n00:00:02.500 --> 01:02:03.005\nworld.\nAnd -> on.\n',
  );
  expect(JSON.parse((await as('verbose_json')).text)).toEqual({
    task: 'transcribe',
    language: 'english',
    duration: 3_723.5,
    text: 'Hello, world.',
    segments: segments.map(({ secret: _, ...segment }) => segment),
    usage: { type: 'duration', seconds: 3_724, cost: 0.373640092 },
  });
});

describe('a transcript that fails', () => {
  test('costs nothing', async () => {
    const { customer } = await newCustomer();
    for (const [behaviour, status] of [
      [failWith(400, 'no speech'), 400],
      [rawResponse('{"words":[]}'), 502],
      [rawResponse('<html>'), 502],
    ] as const) {
      provider.on('upstream-listener', behaviour);
      expect((await transcribe(customer)).status).toBe(status);
    }
    expect(await spentAtRest(harness, customer.accountId)).toBe(0n);
  });

  test('goes to the next deployment with the same recording', async () => {
    const { customer } = await newCustomer();
    const file = wavOf(60);
    provider.on('upstream-first', failWith(500, 'down'));
    provider.on('upstream-second', transcript(durationOf(60)));
    expect((await transcribe(customer, { model: 'test/two-providers' }, { file })).status).toBe(200);
    expect(Buffer.compare(provider.requests.at(-1)?.body.file as Uint8Array, file)).toBe(0);
    expect(await spentAtRest(harness, customer.accountId)).toBe(60n * 100_000n);
  });

  test.each([
    ['an error', 'data: {"type":"error","error":{"message":"deaf"}}\n\n'],
    ['its end', ''],
  ])('in mid-stream ends with an error and costs nothing (%s)', async (_, end) => {
    const { customer } = await newCustomer();
    const goesOn = Promise.withResolvers<void>();
    const streamed = writtenResponse(async ({ write }) => {
      write('data: {"type":"transcript.text.delta","delta":"Hel"}\n\n');
      await goesOn.promise;
      write(end);
    });
    provider.on('upstream-listener', streamed);
    const response = await transcribe(customer, { model: 'test/by-token', stream: 'true' });
    goesOn.resolve();
    const events = (await response.text()).trim().split('\n\n');
    expect(events).toEqual([expect.stringContaining('Hel'), expect.stringContaining('"code":"upstream_error"')]);
    expect(await spentAtRest(harness, customer.accountId)).toBe(0n);
  });
});

describe('a client that leaves', () => {
  test.each(['test/by-second', 'test/by-token', 'test/two-providers'])(
    'before the transcript pays for it, and it is awaited (%s)',
    async (model) => {
      const { customer } = await newCustomer();
      const left = Promise.withResolvers<void>();
      const slow: Behaviour = async (truth, request) => {
        await left.promise;
        const response = transcript({ ...tokensOf(80, 4), duration: 8 })(truth, request);
        truth.ended = true;
        return response;
      };
      provider.on('upstream-first', failWith(503, 'busy'));
      provider.on(model === 'test/two-providers' ? 'upstream-second' : 'upstream-listener', slow);
      const leaving = new AbortController();
      const requestsBefore = provider.requests.length;
      const sent = transcribe(customer, { model }, { init: { signal: leaving.signal } });
      const isAsked = () => provider.requests.slice(requestsBefore).some(({ refused }) => !refused);
      await waitFor('the provider', guardTimeoutMs, async () => isAsked() || undefined);
      leaving.abort();
      await sent.catch(() => {});
      left.resolve();
      const costs = {
        'test/by-second': 8n * secondNano,
        'test/by-token': 100_000n + 80n * 6_000n + 4n * 10_000n,
        'test/two-providers': 8n * 100_000n,
      };
      expect(await spentAtRest(harness, customer.accountId)).toBe(costs[model as keyof typeof costs]);
    },
  );

  test('during its upload pays nothing', async () => {
    const { customer } = await newCustomer();
    const requestsBefore = provider.requests.length;
    const { body, headers } = new Request('http://a', {
      method: 'POST',
      body: formOf({ model: 'test/by-second' }, wavOf(60)),
    });
    const bytes = new Uint8Array(await new Response(body).arrayBuffer());
    const leaving = new AbortController();
    const started = Promise.withResolvers<void>();
    const upload = new ReadableStream<Uint8Array>({
      async pull(controller) {
        controller.enqueue(bytes.slice(0, 100_000));
        started.resolve();
        await new Promise(() => {});
      },
    });
    const sent = fetch(`${proxy.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${customer.proxyKey}`,
        'content-type': headers.get('content-type') ?? '',
      },
      body: upload,
      signal: leaving.signal,
    });
    await started.promise;
    leaving.abort();
    await sent.catch(() => {});
    expect(await spentAtRest(harness, customer.accountId)).toBe(0n);
    expect(provider.requests.length).toBe(requestsBefore);
  });
});
