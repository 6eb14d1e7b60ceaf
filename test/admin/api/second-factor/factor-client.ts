/** People with second factors, as their clients do it. */
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { Secret, TOTP } from 'otpauth';
import type { Session } from '../../../../admin/api/auth/session.ts';
import type { secondFactorsSchema } from '../../../../admin/api/second-factor/second-factor-schemas.ts';
import type { ErrorBody } from '../../../../shared/errors.ts';
import { Authenticator } from '../../../harness/sign-in/authenticator.ts';
import type { Harness } from '../../../harness.ts';
import { type Api, goodPassword, registerVerified } from '../start-api.ts';

export type Factors = typeof secondFactorsSchema.static;

export interface Someone {
  readonly id: number;
  readonly email: string;
  token: string;
  refreshToken: string;
}

export interface App {
  readonly secret: string;
  readonly recoveryCodes: readonly string[] | null;
}

export class FactorClient {
  readonly #harness: Harness;
  readonly #api: Api;
  readonly origin: string;

  constructor(harness: Harness, api: Api) {
    this.#harness = harness;
    this.#api = api;
    this.origin = new URL(api.config.publicUrl).origin;
  }

  someone(): Promise<Someone> {
    return registerVerified(this.#harness, this.#api);
  }

  call<Body>(method: string, path: string, who: { token?: string } | undefined, body?: object) {
    const token = who?.token;
    return this.#api.call<Body>(method, path, { ...(token !== undefined && { token }), ...(body && { body }) });
  }

  async ok<Body>(method: string, path: string, who: { token?: string } | undefined, body?: object): Promise<Body> {
    const response = await this.call<Body>(method, path, who, body);
    if (response.status < 300) return response.body;
    throw new Error(`${method} ${path}: ${response.status} ${response.error?.code} ${response.error?.message}`);
  }

  /** The status and the code, where a call is to be refused. */
  async refusal(method: string, path: string, who: { token?: string } | undefined, body?: object) {
    const { status, error } = await this.call(method, path, who, body);
    return [status, error?.code];
  }

  /** Of the home of someone. Earlier versions let strangers add factors, whose address is not verified. */
  async setOwnership({ id }: Pick<Someone, 'id'>, ownership: string): Promise<void> {
    await this.#harness.database.sql`
      UPDATE accounts SET ownership = ${ownership} WHERE id = (SELECT account_id FROM users WHERE id = ${id})`;
  }

  /** Also of someone who has a second factor: their log-in confirms it. */
  async confirm(who: Someone): Promise<void> {
    await this.ok('POST', '/api/profile/confirm', who, { current_password: goodPassword });
  }

  async addApp(who: Someone): Promise<App> {
    const { secret } = await this.ok<{ secret: string }>('POST', '/api/profile/second-factor/app', who);
    const code = codeOf(secret);
    const { recoveryCodes } = await this.ok<App>('POST', '/api/profile/second-factor/app/confirm', who, { code });
    // As if that had been a while ago: the current code can still be used.
    await this.#harness.database.sql`UPDATE totp_factors SET last_step = last_step - 1 WHERE user_id = ${who.id}`;
    return { secret, recoveryCodes };
  }

  async addPasskey(who: Someone, name = 'Laptop') {
    const { challenge, options } = await this.ok<{
      challenge: string;
      options: PublicKeyCredentialCreationOptionsJSON;
    }>('POST', '/api/profile/passkeys/options', who);
    const authenticator = new Authenticator();
    const passkey = authenticator.create(options, { origin: this.origin });
    const added = await this.ok<{ id: number; recoveryCodes: string[] | null }>('POST', '/api/profile/passkeys', who, {
      challenge,
      name,
      passkey,
    });
    return { authenticator, ...added };
  }

  /** What a right password gets: the challenge. */
  async begin({ email }: { email: string }): Promise<{ challenge: string; methods: string[] }> {
    const { status, error } = await this.call('POST', '/api/auth/login', undefined, { email, password: goodPassword });
    const { code, details } = error as ErrorBody['error'] & { details?: Record<string, string> };
    if (status !== 401 || code !== 'second_factor_required') throw new Error(`no challenge, but ${status} ${code}`);
    return { challenge: details?.challenge ?? '', methods: (details?.methods ?? '').split(',') };
  }

  answer(challenge: string, answer: object) {
    return this.call<Session>('POST', '/api/auth/login/second-factor', undefined, { challenge, ...answer });
  }

  /** Without a challenge, for a passkey alone. */
  async passkeyChallenge(challenge?: string) {
    const body = challenge === undefined ? {} : { challenge };
    return this.ok<{ challenge: string; options: PublicKeyCredentialRequestOptionsJSON }>(
      'POST',
      '/api/auth/login/passkey',
      undefined,
      body,
    );
  }
}

/** The code that an app shows so many steps of thirty seconds from now. */
export function codeOf(secret: string, steps = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
}

/** One that is none of those that are accepted now. */
export function wrongCodeOf(secret: string): string {
  const near = new Set([-2, -1, 0, 1, 2].map((steps) => codeOf(secret, steps)));
  for (let code = 0; ; code += 1) {
    const text = String(code).padStart(6, '0');
    if (!near.has(text)) return text;
  }
}
