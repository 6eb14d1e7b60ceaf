/** POST /v1/audio/speech: what is accepted and refused, and what a failure, a break and a hang-up cost. */
import { afterAll, describe, expect, test } from 'bun:test';
import { guardTimeoutMs, logIn, waitFor } from '../../../harness/account-view.ts';
import { spentAtRest } from '../../../harness/books.ts';
import {
  type Behaviour,
  failWith,
  rawResponse,
  writtenResponse,
} from '../../../harness/providers/scripted-provider.ts';
import {
  characterNano,
  deltaOf,
  doneWith,
  plainAudio,
  readAudio,
  scriptedAudio,
  startSpeechGateway,
} from '../../../harness/providers/speech.ts';
import { samples } from '../../../harness/providers/text-samples.ts';

const { harness, provider, admin, proxy, newCustomer, speak, stop } = await startSpeechGateway();
afterAll(stop);

const sound = new TextEncoder().encode('sound');
const tokensUsed = { input_tokens: 10, output_tokens: 20, total_tokens: 30 };
/** With the price of the request. */
const tokensNano = 100_000n + 10n * 600n + 20n * 12_000n;
/** 13 characters, as `speak` sends them. */
const usualNano = 13n * characterNano;

async function refusalOf(response: Response) {
  const { error } = (await response.json()) as { error: { code: string; param: string | null; message: string } };
  return { status: response.status, code: error.code, param: error.param };
}

describe('a request for speech', () => {
  test.each([
    [{ input: '' }, 'invalid_parameter', 'input'],
    [{ input: 'x'.repeat(4_097) }, 'invalid_parameter', 'input'],
    [{ input: undefined }, 'missing_parameter', 'input'],
    [{ voice: undefined }, 'missing_parameter', 'voice'],
    [{ voice: 7 }, 'invalid_parameter', 'voice'],
    [{ response_format: 'mp4' }, 'invalid_parameter', 'response_format'],
    [{ stream_format: 'json' }, 'invalid_parameter', 'stream_format'],
    [{ speed: 0.2 }, 'invalid_parameter', 'speed'],
    [{ speed: 'fast' }, 'invalid_parameter', 'speed'],
    [{ instructions: 'x'.repeat(4_097) }, 'invalid_parameter', 'instructions'],
    [{ model: 'test/chat' }, 'invalid_parameter', 'model'],
    [{ service_tier: 'flex' }, 'unsupported_parameter', 'service_tier'],
    [{ web_search_options: {} }, 'unsupported_parameter', 'web_search_options'],
    [{ emotion: 'angry' }, 'unsupported_parameter', 'emotion'],
  ])('is refused before anything is held (%#)', async (body, code, param) => {
    const { customer } = await newCustomer();
    const requestsBefore = provider.requests.length;
    expect(await refusalOf(await speak(customer, body))).toEqual({ status: 400, code, param });
    expect(provider.requests.length).toBe(requestsBefore);
    expect(await (await logIn(admin, customer)).balance()).toMatchObject({ available: 10, reserved: 0 });
  });

  test('takes a voice of its operator, and what has no effect', async () => {
    const { customer } = await newCustomer();
    provider.on('upstream-speech', plainAudio([sound]));
    const body = { voice: { id: 'voice_1' }, instructions: null, speed: null, emotion: null, stream_format: 'audio' };
    expect((await speak(customer, body)).status).toBe(200);
    expect(provider.requests.at(-1)?.body).toMatchObject({ voice: { id: 'voice_1' } });
  });

  test('that the balance does not cover is refused before the provider is called', async () => {
    const { customer } = await newCustomer('0.0001');
    const requestsBefore = provider.requests.length;
    const refusal = await refusalOf(await speak(customer, {}));
    expect(refusal).toMatchObject({ status: 403, code: 'insufficient_balance' });
    expect(provider.requests.length).toBe(requestsBefore);
  });

  test('is sent to another kind of endpoint in vain', async () => {
    const { customer } = await newCustomer();
    const response = await fetch(`${proxy.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${customer.proxyKey}` },
      body: JSON.stringify({ model: 'test/by-character', messages: [{ role: 'user', content: 'Hello.' }] }),
    });
    expect(await refusalOf(response)).toMatchObject({ status: 400, param: 'model' });
  });
});

describe('speech that fails', () => {
  test.each([
    ['is refused', failWith(400, 'no such voice'), 400],
    ['is an error with status 200', rawResponse('{"error":{"message":"overloaded"}}'), 502],
    ['is a page', rawResponse('<html>', 'text/html'), 502],
    ['is empty', rawResponse(new Uint8Array(), 'audio/mpeg'), 502],
    ['is an empty stream of events', rawResponse('', 'text/event-stream'), 502],
    [
      'ends with an error before any audio',
      rawResponse('data: {"error":{"message":"no"}}\n\n', 'text/event-stream'),
      502,
    ],
  ])('costs nothing where it %s', async (_, behaviour, status) => {
    const { customer } = await newCustomer();
    provider.on('upstream-speech', behaviour);
    for (const model of ['test/by-character', 'test/by-token']) {
      expect((await speak(customer, { model })).status).toBe(status);
    }
    expect(await spentAtRest(harness, customer.accountId)).toBe(0n);
  });

  test('goes to the next deployment before its first byte', async () => {
    const { customer } = await newCustomer();
    provider.on('upstream-first', rawResponse(new Uint8Array(), 'audio/mpeg'));
    provider.on('upstream-second', plainAudio([sound], 'audio/wav'));
    const response = await speak(customer, { model: 'test/two-providers', response_format: 'wav' });
    expect(response.headers.get('content-type')).toBe('audio/wav');
    expect((await readAudio(response)).audio.toString()).toBe('sound');
    expect(await spentAtRest(harness, customer.accountId)).toBe(13n * 10_000n);
  });

  test.each(['test/by-character', 'test/by-token'])(
    'after it has begun breaks the connection of its client and costs nothing (%s)',
    async (model) => {
      const { customer } = await newCustomer();
      const isPlain = model === 'test/by-character';
      const breaks = async ({ write }: { write(text: string | Uint8Array): void }) => {
        write(isPlain ? sound : deltaOf(sound));
        await goesOn.promise;
        throw new Error('the connection breaks, as scripted');
      };
      const goesOn = Promise.withResolvers<void>();
      provider.on('upstream-speech', isPlain ? writtenResponse(breaks, 'audio/mpeg') : scriptedAudio(breaks));
      const response = await speak(customer, { model });
      expect(response.status).toBe(200);
      goesOn.resolve();
      expect(await readAudio(response)).toEqual({ audio: Buffer.from(sound), isBroken: true });
      expect(await spentAtRest(harness, customer.accountId)).toBe(0n);
    },
  );

  test.each([
    ['an error', 'data: {"type":"error","error":{"message":"out of voice"}}\n\n'],
    ['its end', ''],
  ])('after it has begun ends a stream of events with an error (%s)', async (_, end) => {
    const { customer } = await newCustomer();
    const goesOn = Promise.withResolvers<void>();
    const fails = scriptedAudio(async ({ write }) => {
      write(deltaOf(sound));
      await goesOn.promise;
      write(end);
    });
    provider.on('upstream-speech', fails);
    const response = await speak(customer, { model: 'test/by-token', stream_format: 'sse' });
    goesOn.resolve();
    const text = await response.text();
    const events = text.trim().split('\n\n');
    expect(events).toEqual([deltaOf(sound).trim(), expect.stringContaining('"code":"upstream_error"')]);
    expect(await spentAtRest(harness, customer.accountId)).toBe(0n);
  });
});

/** The client leaves, and only then the provider goes on. */
interface Leaving {
  readonly model: string;
  readonly costNano: bigint;
  /** How much the client receives before it leaves. */
  readonly after: 'nothing' | 'the first part' | 'all but the end';
}

const leavings: Leaving[] = (['nothing', 'the first part', 'all but the end'] as const).flatMap((after) => [
  { model: 'test/by-character', costNano: usualNano, after },
  { model: 'test/by-token', costNano: tokensNano, after },
  { model: 'test/two-providers', costNano: 13n * 10_000n, after },
]);

describe('a client that leaves', () => {
  test.each(leavings.map((leaving) => [leaving.after, leaving.model, leaving] as const))(
    'after %s pays for what is spoken, which is awaited (%s)',
    async (_, __, { model, costNano, after }) => {
      const { customer } = await newCustomer();
      const isPlain = model !== 'test/by-token';
      const left = Promise.withResolvers<void>();
      const parts = [sound, sound, sound];
      const before = after === 'nothing' ? 0 : after === 'the first part' ? 1 : parts.length;
      const behaviour = writtenResponse(
        async ({ write }) => {
          for (const [index, part] of parts.entries()) {
            if (index === before) await left.promise;
            write(isPlain ? part : deltaOf(part));
          }
          if (before === parts.length) await left.promise;
          if (!isPlain) write(doneWith(tokensUsed));
        },
        isPlain ? 'audio/mpeg' : 'text/event-stream',
      );
      provider.on('upstream-first', failWith(503, 'busy'));
      provider.on(model === 'test/two-providers' ? 'upstream-second' : 'upstream-speech', behaviour);
      const leaving = new AbortController();
      const requestsBefore = provider.requests.length;
      const sent = speak(customer, { model }, { signal: leaving.signal });
      if (before === 0) {
        const isAsked = () => provider.requests.slice(requestsBefore).some(({ refused }) => !refused);
        await waitFor('the provider', guardTimeoutMs, async () => isAsked() || undefined);
      } else {
        const reader = (await sent).body?.getReader();
        for (let received = 0; received < before * sound.length; )
          received += (await reader?.read())?.value?.length ?? 0;
      }
      leaving.abort();
      await sent.catch(() => {});
      left.resolve();
      expect(await spentAtRest(harness, customer.accountId)).toBe(costNano);
      expect(provider.requests.at(-1)).toMatchObject({ ended: true, aborted: false });
    },
  );

  test('pays for every character, whatever its text consists of', async () => {
    const texts = Object.values(samples).map((text) => Array.from(text.repeat(40)).slice(0, 2_000).join(''));
    for (const input of texts) {
      const { customer } = await newCustomer();
      const left = Promise.withResolvers<void>();
      const behaviour = writtenResponse(async ({ write }) => {
        write(sound);
        await left.promise;
        write(sound);
      }, 'audio/mpeg');
      provider.on('upstream-speech', behaviour);
      const leaving = new AbortController();
      const response = await speak(customer, { input }, { signal: leaving.signal });
      await response.body?.getReader().read();
      leaving.abort();
      left.resolve();
      expect(await spentAtRest(harness, customer.accountId)).toBe(BigInt(Array.from(input).length) * characterNano);
    }
  });

  test('pays nothing if the provider then fails', async () => {
    const { customer } = await newCustomer();
    const left = Promise.withResolvers<void>();
    const fails: Behaviour = async (truth, request) => {
      await left.promise;
      return failWith(500, 'down')(truth, request);
    };
    provider.on('upstream-speech', fails);
    const leaving = new AbortController();
    const requestsBefore = provider.requests.length;
    const sent = speak(customer, {}, { signal: leaving.signal });
    await waitFor('the provider', guardTimeoutMs, async () => provider.requests[requestsBefore]);
    leaving.abort();
    await sent.catch(() => {});
    left.resolve();
    expect(await spentAtRest(harness, customer.accountId)).toBe(0n);
  });
});
