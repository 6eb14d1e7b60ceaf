/** Which variables may hold a provider's key, and which of them the proxy reads. */
import { describe, expect, test } from 'bun:test';
import { ConfigurationError } from '../../../shared/config/environment.ts';
import { ownVariables } from '../../../shared/config/own-variables.ts';
import { refuseKeyName } from '../../../shared/config/provider-keys.ts';
import { loadProxyConfig } from '../../../shared/config/proxy.ts';

const none: ReadonlySet<string> = new Set();
const required = { REDIS_URL: 'redis://localhost', KEY_PEPPER: 'p'.repeat(32) };

function problemsOf(PROVIDER_KEYS: string): readonly string[] {
  try {
    loadProxyConfig({ ...required, PROVIDER_KEYS });
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

describe('a variable for a key', () => {
  test('has a name that ends in _API_KEY or is listed', () => {
    expect(refuseKeyName('OPENAI_API_KEY', none)).toBeUndefined();
    expect(refuseKeyName('OPENAI_TOKEN', none)).toBe('neither ends in _API_KEY nor is listed in PROVIDER_KEYS');
    expect(refuseKeyName('OPENAI_TOKEN', new Set(['OPENAI_TOKEN']))).toBeUndefined();
    for (const name of ['AWS_SECRET_ACCESS_KEY', 'PATH', 'API_KEY', 'OPENAI_API_KEY_OLD', 'constructor'])
      expect(refuseKeyName(name, none)).toContain('neither ends in');
  });

  test("is never one of the gateway's own variables or a file of a secret, listed or not", () => {
    for (const name of [...ownVariables, 'KEY_PEPPER_FILE'])
      expect([name, refuseKeyName(name, new Set([name]))]).toEqual([name, "is one of the gateway's own variables"]);
    for (const name of ['OPENAI_API_KEY_FILE', 'SSL_CERT_FILE'])
      expect(refuseKeyName(name, new Set([name]))).toBe('holds the path of a secret, not a key');
  });

  test('may have the name documented for GigaChat before the rule existed', () => {
    expect(refuseKeyName('GIGACHAT_AUTHORIZATION_KEY', none)).toBeUndefined();
  });
});

describe('PROVIDER_KEYS', () => {
  test('lists names, separated by commas', () => {
    expect(problemsOf(' OPENAI_TOKEN, AZURE_SECRET,,')).toEqual([]);
    expect(problemsOf('')).toEqual([]);
  });

  test('prevents the program from starting if it contains a name that can never hold a key', () => {
    expect(problemsOf('OPENAI_TOKEN,KEY_PEPPER,X_FILE')).toEqual([
      "PROVIDER_KEYS lists KEY_PEPPER, which is one of the gateway's own variables",
      'PROVIDER_KEYS lists X_FILE, which holds the path of a secret, not a key',
    ]);
  });

  test('is refused without repeating its values if it contains the keys themselves', () => {
    const [problem = '', ...others] = problemsOf('sk-abcdef');
    expect(problem).toBe('PROVIDER_KEYS must be a comma-separated list of variable names');
    expect(others).toEqual([]);
  });
});

test('the proxy reads only variables that may hold a key', () => {
  const { providerKey } = loadProxyConfig({
    ...required,
    PROVIDER_KEYS: 'LISTED_TOKEN',
    OPENAI_API_KEY: ' sk-1 ',
    LISTED_TOKEN: 'sk-2',
    OTHER_TOKEN: 'sk-3',
  });
  expect(providerKey('OPENAI_API_KEY')).toEqual({ ok: true, key: 'sk-1' });
  expect(providerKey('LISTED_TOKEN')).toEqual({ ok: true, key: 'sk-2' });
  expect(providerKey('MISSING_API_KEY')).toEqual({ ok: false, problem: 'MISSING_API_KEY is not set' });
  expect(providerKey('OTHER_TOKEN')).toMatchObject({ ok: false });
  expect(providerKey('KEY_PEPPER')).toEqual({
    ok: false,
    problem: "KEY_PEPPER is one of the gateway's own variables",
  });
});
