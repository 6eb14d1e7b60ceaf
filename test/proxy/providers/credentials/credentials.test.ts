/** How the gateway authenticates to a provider: with a key, or with a token that is fetched once and in time. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { UpstreamFailure } from '../../../../proxy/nouns/upstream-failure.ts';
import { Credentials } from '../../../../proxy/providers/credentials/credentials.ts';
import { fetchToken } from '../../../../proxy/providers/credentials/fetch-token.ts';
import { RenewedToken } from '../../../../proxy/providers/credentials/renewed-token.ts';
import type { PublishedProvider } from '../../../../shared/catalogue/published-catalogue.ts';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { lifetimeMs, startTokenServer, type TokenServer } from './token-server.ts';

const startMs = 1_800_000_000_000;
const never = new AbortController();
let nowMs = startMs;
let server: TokenServer;
let credentials: Credentials;

beforeEach(() => {
  nowMs = startMs;
  server = startTokenServer({ now: () => nowMs });
  credentials = new Credentials({
    providerKey: (variable) =>
      variable === 'GIGACHAT_API_KEY'
        ? { ok: true, key: 'aWQ6c2VjcmV0' }
        : { ok: false, problem: `${variable} is not set` },
    now: () => nowMs,
  });
});
afterEach(() => server.stop());

function provider(changes: Partial<PublishedProvider> = {}): PublishedProvider {
  return {
    id: 'gigachat',
    protocol: 'openai',
    baseUrl: 'http://127.0.0.1:1/api/v1',
    apiKeyEnv: 'GIGACHAT_API_KEY',
    quirks: {},
    auth: { type: 'oauth', tokenUrl: server.url, scope: 'GIGACHAT_API_PERS' },
    ...changes,
  };
}

const accessTo = async (of: PublishedProvider, request = never) => credentials.accessTo(of, request);
const tokenOf = async (of = provider()) => (await accessTo(of)).apiKey;

async function failureOf(promise: Promise<unknown>): Promise<UpstreamFailure> {
  const error = await promise.then(() => undefined).catch((thrown: unknown) => thrown);
  if (error instanceof UpstreamFailure) return error;
  throw new Error(`no failure of the provider: ${String(error)}`);
}

describe("a provider's key", () => {
  test('is the value of its variable', async () => {
    const { auth: _, ...keyed } = provider();
    expect(await accessTo(keyed)).toEqual({ apiKey: 'aWQ6c2VjcmV0', ca: undefined });
    expect(await accessTo({ ...keyed, apiKeyEnv: '' })).toMatchObject({ apiKey: undefined });
    // There is nothing to wait for.
    expect(credentials.accessTo(keyed, never)).toEqual({ apiKey: 'aWQ6c2VjcmV0', ca: undefined });
    expect(credentials.discard(keyed, { apiKey: 'aWQ6c2VjcmV0', ca: undefined })).toBe(false);
  });

  test("a provider's key that is not set is treated like a wrong one", async () => {
    const failure = await failureOf(accessTo(provider({ apiKeyEnv: 'OTHER_API_KEY' })));
    expect(failure).toMatchObject({ reason: 'refused', status: 401, problem: 'OTHER_API_KEY is not set' });
    expect(failure.message).not.toContain('OTHER_API_KEY');
    expect(server.requests).toHaveLength(0);
  });
});

describe("a provider's token", () => {
  test('is requested with the key, the scope and a request id', async () => {
    expect(await tokenOf()).toBe('token-1');
    const [request] = server.requests;
    expect(request).toMatchObject({ method: 'POST', body: 'scope=GIGACHAT_API_PERS' });
    expect(request?.headers.get('authorization')).toBe('Basic aWQ6c2VjcmV0');
    expect(request?.headers.get('rquid')).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(request?.headers.get('content-type')).toBe('application/x-www-form-urlencoded');
  });

  test('is fetched once, however many requests wait for it', async () => {
    const tokens = await Promise.all(Array.from({ length: 100 }, () => tokenOf()));
    expect(new Set(tokens)).toEqual(new Set(['token-1']));
    expect(server.requests).toHaveLength(1);
  });

  test('belongs to one provider, and is replaced when the catalogue changes', async () => {
    expect(await tokenOf()).toBe('token-1');
    expect(await tokenOf(provider({ id: 'gigachat-corp' }))).toBe('token-2');
    expect(await tokenOf()).toBe('token-1');
    const auth = { type: 'oauth' as const, tokenUrl: server.url, scope: 'GIGACHAT_API_CORP' };
    expect(await tokenOf(provider({ auth }))).toBe('token-3');
    expect(server.requests.at(-1)?.body).toBe('scope=GIGACHAT_API_CORP');
  });

  test('is renewed while the old one is still used, without delaying requests', async () => {
    expect(await tokenOf()).toBe('token-1');
    nowMs += lifetimeMs - 121_000;
    expect(await tokenOf()).toBe('token-1');
    expect(server.requests).toHaveLength(1);
    nowMs += 2_000;
    expect(await Promise.all(Array.from({ length: 10 }, () => tokenOf()))).toEqual(Array(10).fill('token-1'));
    await waitFor('the new token', guardTimeoutMs, async () => (await tokenOf()) === 'token-2');
    expect(server.requests).toHaveLength(2);
  });

  test("a provider's token that is about to expire is no longer used", async () => {
    expect(await tokenOf()).toBe('token-1');
    nowMs += lifetimeMs - 9_000;
    expect(await tokenOf()).toBe('token-2');
  });

  test('a token that cannot be renewed is used until it expires, with occasional attempts to renew it', async () => {
    let attempts = 0;
    const renewal = async () => {
      attempts += 1;
      if (attempts === 1) return { value: 'token-1', expiresAtMs: startMs + lifetimeMs };
      throw new UpstreamFailure('unreachable', 'down');
    };
    const token = new RenewedToken(renewal, () => nowMs);
    expect(await token.value(never)).toBe('token-1');
    nowMs += lifetimeMs - 60_000;
    expect(await token.value(never)).toBe('token-1');
    expect(await Promise.all([token.value(never), token.value(never)])).toEqual(['token-1', 'token-1']);
    expect(attempts).toBe(2);
    // The failed attempt has ended.
    await Bun.sleep(0);
    nowMs += 6_000;
    expect(await token.value(never)).toBe('token-1');
    expect(attempts).toBe(3);
    await Bun.sleep(0);
    nowMs += 60_000;
    expect(await failureOf(token.value(never))).toMatchObject({ reason: 'unreachable' });
  });

  test('whose server is down is a failure with its status', async () => {
    server.respondWith(() => new Response('down', { status: 503 }));
    expect(await failureOf(tokenOf())).toMatchObject({ reason: 'refused', status: 503 });
  });

  test("a provider's token that was refused is discarded once, however many requests got the refusal", async () => {
    const of = provider();
    const access = await accessTo(of);
    expect(credentials.discard(of, access)).toBe(true);
    expect(await tokenOf()).toBe('token-2');
    // Other requests get the same refusal later.
    expect(credentials.discard(of, access)).toBe(true);
    expect(await tokenOf()).toBe('token-2');
    expect(server.requests).toHaveLength(2);
  });

  test('still reaches other requests when the client that started the fetch has left', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    server.respondWith(async () => {
      await held;
      return Response.json({ access_token: 'late', expires_at: nowMs + lifetimeMs });
    });
    const leaving = new AbortController();
    const first = failureOf(accessTo(provider(), leaving));
    const second = tokenOf();
    leaving.abort();
    expect(await first).toMatchObject({ reason: 'unreachable' });
    release();
    expect(await second).toBe('late');
    expect(server.requests).toHaveLength(1);
  });

  test("a provider's token that cannot be fetched causes no unhandled error after the client has left", async () => {
    server.respondWith(() => new Response('down', { status: 500 }));
    const left = new AbortController();
    left.abort();
    expect(await failureOf(accessTo(provider(), left))).toMatchObject({ reason: 'unreachable' });
    await waitFor('the refusal', guardTimeoutMs, async () => server.requests.length === 1);
    // An unhandled rejection would fail this test.
    expect(await failureOf(tokenOf())).toMatchObject({ status: 500 });
  });

  test('is requested again after a failure', async () => {
    server.respondWith(() => new Response('down', { status: 500 }));
    const failures = await Promise.all([failureOf(tokenOf()), failureOf(tokenOf())]);
    expect(failures.map(({ status }) => status)).toEqual([500, 500]);
    server.respondWith(() => Response.json({ access_token: 'good', expires_at: nowMs + lifetimeMs }));
    expect(await tokenOf()).toBe('good');
  });
});

describe('the token server’s response', () => {
  const ask = (timeoutMs?: number) =>
    fetchToken(
      {
        type: 'oauth',
        tokenUrl: server.url,
        scope: 's',
        key: 'k',
        ca: undefined,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      },
      nowMs,
    );

  test('has the lifetime of the token in one of several formats', async () => {
    const expiryOf = async (response: object) => {
      server.respondWith(() => Response.json({ access_token: 't', ...response }));
      return (await ask()).expiresAtMs - nowMs;
    };
    expect(await expiryOf({ expires_at: nowMs + lifetimeMs })).toBe(lifetimeMs);
    expect(await expiryOf({ expires_at: nowMs / 1000 + 1800 })).toBe(1_800_000);
    expect(await expiryOf({ expires_in: 1800 })).toBe(1_800_000);
    for (const odd of [{}, { expires_at: 'soon' }, { expires_at: null }, { expires_at: -1 }]) {
      expect(await expiryOf(odd)).toBe(300_000);
    }
    // A clock that is an hour off.
    expect(await expiryOf({ expires_at: nowMs - 3_600_000 })).toBe(60_000);
    server.respondWith(() => Response.json({ tok: 'older', exp: nowMs / 1000 + 1800 }));
    expect(await ask()).toEqual({ value: 'older', expiresAtMs: nowMs + 1_800_000 });
  });

  test('a response of the token server without a token is malformed', async () => {
    const bodies = [
      '',
      '<html>',
      'null',
      '[]',
      '{}',
      '{"access_token":""}',
      '{"access_token":5}',
      '{"access_token":"a\\r\\nb"}',
    ];
    for (const body of bodies) {
      server.respondWith(() => new Response(body));
      expect([body, (await failureOf(ask())).reason]).toEqual([body, 'malformed']);
    }
  });

  test('a huge response of the token server is not read', async () => {
    let written = 0;
    server.respondWith(() => {
      const chunk = new Uint8Array(64 * 1024).fill(32);
      const body = new ReadableStream({
        pull(controller) {
          written += chunk.byteLength;
          controller.enqueue(chunk);
        },
      });
      return new Response(body);
    });
    expect((await failureOf(ask())).reason).toBe('malformed');
    expect(written).toBeLessThan(64 * 1024 * 1024);
  });

  test('a response of the token server that does not arrive, or only in part, times out', async () => {
    server.respondWith(() => new Promise<Response>(() => {}));
    expect((await failureOf(ask(50))).reason).toBe('timeout');
    server.respondWith(() => {
      const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{"acc')) });
      return new Response(body);
    });
    expect((await failureOf(ask(50))).reason).toBe('timeout');
  });

  test('a redirect by the token server is not followed', async () => {
    server.respondWith(() => Response.redirect(server.url, 307));
    expect(await failureOf(ask())).toMatchObject({ reason: 'refused', status: 307 });
    expect(server.requests).toHaveLength(1);
  });

  test('a token server that refuses the key counts as a refusal by the provider, and is not disclosed', async () => {
    for (const status of [400, 401, 403]) {
      server.respondWith(() => Response.json({ message: 'the secret aWQ6c2VjcmV0 is wrong' }, { status }));
      const failure = await failureOf(ask());
      expect(failure).toMatchObject({ reason: 'refused', status: 401 });
      expect(failure.message).not.toContain('secret');
    }
    server.respondWith(() => new Response('', { status: 429 }));
    expect(await failureOf(ask())).toMatchObject({ status: 429 });
  });

  test('cannot come from an unreachable server, which makes the provider unreachable', async () => {
    await server.stop();
    expect((await failureOf(ask())).reason).toBe('unreachable');
  });
});
