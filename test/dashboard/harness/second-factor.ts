/** Second factors of the dashboard's customers: an authenticator app through the API, and a virtual one in the browser for passkeys. */
import type { BrowserContext, Page } from 'playwright-core';
import { codeOf } from '../../admin/api/second-factor/factor-client.ts';
import { type Customer, testPassword } from '../../harness/customers.ts';
import type { Harness } from '../../harness.ts';
import type { Dashboard } from './dashboard.ts';

export interface SeededApp {
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

/** Ends the other sessions of the customer. A code of the next step of thirty seconds is still unused. */
export async function seedApp(
  { admin }: Pick<Dashboard, 'admin'>,
  { email }: Pick<Customer, 'email'>,
): Promise<SeededApp> {
  const { accessToken } = await send<{ accessToken: string }>(admin.url, '/api/auth/login', {
    email,
    password: testPassword,
  });
  const call = <Body>(path: string, body?: object) => send<Body>(admin.url, path, body, accessToken);
  await call('/api/profile/confirm', { current_password: testPassword });
  const { secret } = await call<SeededApp>('/api/profile/second-factor/app');
  const { recoveryCodes } = await call<SeededApp>('/api/profile/second-factor/app/confirm', { code: codeOf(secret) });
  return { secret, recoveryCodes };
}

/** No device has them, so they only show. The last has never been used. */
export async function seedPasskeys({ database }: Pick<Harness, 'database'>, userId: number, names: readonly string[]) {
  for (const [index, name] of names.entries()) {
    const used = index === names.length - 1 ? null : new Date();
    await database.sql`
      INSERT INTO passkeys (user_id, name, credential_id, public_key, sign_count, transports, last_used_at)
      VALUES (${userId}, ${name}, ${crypto.randomUUID()}, '', 0, '{}', ${used})`;
  }
}

async function send<Body>(url: string, path: string, body?: object, token?: string): Promise<Body> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
  return (response.status === 204 ? undefined : await response.json()) as Body;
}

/** Of this tab. It has a fingerprint that is always right, and keeps passkeys that need no name. */
export async function addAuthenticator(context: BrowserContext, page: Page): Promise<Authenticator> {
  const session = await context.newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    count: async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
    refuse: async () => {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    },
  };
}

export interface Authenticator {
  /** How many passkeys it has. */
  count(): Promise<number>;
  /** From now on the fingerprint is wrong. */
  refuse(): Promise<void>;
}
