/** Signed requests: each uses the current credentials, and nothing can be changed on the way. */
import { describe, expect, test } from 'bun:test';
import { UpstreamFailure } from '../../../../proxy/nouns/upstream-failure.ts';
import type { UpstreamRequest } from '../../../../proxy/providers/adapter.ts';
import { Credentials } from '../../../../proxy/providers/credentials/credentials.ts';
import type { PublishedProvider } from '../../../../shared/catalogue/published-catalogue.ts';
import { signatureOf } from './signature-of.ts';

const nowMs = Date.UTC(2026, 10, 22, 9, 8, 7);
const never = new AbortController();
const keys: Record<string, string> = { KEY_ID: 'AKIDEXAMPLE', SECRET: 'wJalrXUtnFEMI/K7MDENG', SESSION: 'session-1' };
const signer = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG', region: 'eu-central-1' };
const aws = { region: 'eu-central-1', accessKeyIdEnv: 'KEY_ID', secretAccessKeyEnv: 'SECRET' };
const request: UpstreamRequest = {
  url: 'https://bedrock-runtime.eu-central-1.amazonaws.com/model/eu.anthropic.claude-v1%3A0/converse-stream',
  headers: { 'content-type': 'application/json', accept: 'application/vnd.amazon.eventstream' },
  body: '{"messages":[{"role":"user","content":[{"text":"Grüße 👋"}]}]}',
};

const credentials = new Credentials({
  providerKey: (variable) => {
    const key = keys[variable];
    return key === undefined ? { ok: false, problem: `${variable} is not set` } : { ok: true, key };
  },
  now: () => nowMs,
});

const provider = (of: PublishedProvider['aws'] & object): PublishedProvider => ({
  id: 'bedrock',
  protocol: 'bedrock',
  baseUrl: 'https://bedrock-runtime.eu-central-1.amazonaws.com',
  apiKeyEnv: '',
  quirks: {},
  aws: of,
});

async function signed(of: PublishedProvider['aws'] & object, what = request): Promise<UpstreamRequest> {
  const { apiKey, sign } = await credentials.accessTo(provider(of), never);
  if (sign === undefined) throw new Error('nothing signs');
  expect(apiKey).toBeUndefined();
  return sign(what);
}

/** The request as the provider receives it. */
function arrived({ url, headers, body }: UpstreamRequest) {
  const { host, pathname: path } = new URL(url);
  return { path, headers: new Headers({ ...headers, host }), body: String(body) };
}

describe('a signature', () => {
  test('matches an independent computation, and covers host, time and body', async () => {
    const sent = await signed(aws);
    expect(sent).toMatchObject({ url: request.url, body: request.body, headers: request.headers });
    expect(sent.headers['x-amz-date']).toBe('20261122T090807Z');
    expect(sent.headers.authorization).toBe(signatureOf(arrived(sent), signer));
    expect(sent.headers.authorization).toContain('SignedHeaders=host;x-amz-content-sha256;x-amz-date,');
    expect(sent.headers).not.toHaveProperty('host');
  });

  test('a signature of temporary credentials covers the session token', async () => {
    const sent = await signed({ ...aws, sessionTokenEnv: 'SESSION' });
    expect(sent.headers['x-amz-security-token']).toBe('session-1');
    expect(sent.headers.authorization).toBe(signatureOf(arrived(sent), signer));
    expect(sent.headers.authorization).toContain('x-amz-security-token,');
  });

  test('depends on the current secret, the region, the path and the body', async () => {
    const first = (await signed(aws)).headers.authorization;
    keys.SECRET = 'rotated';
    const rotated = await signed(aws);
    keys.SECRET = signer.secretAccessKey;
    expect(rotated.headers.authorization).toBe(
      signatureOf(arrived(rotated), { ...signer, secretAccessKey: 'rotated' }),
    );
    const others = await Promise.all([
      signed({ ...aws, region: 'us-east-1' }),
      signed(aws, { ...request, url: request.url.replace('-stream', '') }),
      signed(aws, { ...request, body: '{}' }),
    ]);
    const different = [first, rotated.headers.authorization, ...others.map(({ headers }) => headers.authorization)];
    expect(new Set(different).size).toBe(5);
  });
});

test('a missing secret is treated like a wrong one, and operators can see which', async () => {
  const missing = provider({ ...aws, sessionTokenEnv: 'OTHER' });
  expect(credentials.problemOf(missing)).toBe('OTHER is not set');
  expect(credentials.problemOf(provider(aws))).toBeUndefined();
  let failure: unknown;
  try {
    await credentials.accessTo(missing, never);
  } catch (error) {
    failure = error;
  }
  expect(failure).toBeInstanceOf(UpstreamFailure);
  expect(failure).toMatchObject({ reason: 'refused', status: 401, problem: 'OTHER is not set' });
});
