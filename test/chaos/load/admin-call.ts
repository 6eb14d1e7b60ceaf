/** Calls of /api while admins are killed: every response is reported, including that there was none. */
import { waitFor } from '../../harness/account-view.ts';
import { type Customer, testPassword } from '../../harness/customers.ts';
import type { Replica, Replicas } from '../world/replicas.ts';

/** The promised limit is five seconds; a busy machine gets three times as long. */
const callMaxMs = 15_000;
const logInMaxMs = 60_000;

export interface AdminResponse {
  /** 0 without a response; then `code` says why. */
  readonly status: number;
  readonly code: string | undefined;
  readonly body: unknown;
}

interface CallOptions {
  readonly token?: string;
  /** The Idempotency-Key. */
  readonly key?: string | undefined;
  readonly body?: object;
}

export async function askAdmin(
  admin: Replica,
  [method, path]: readonly [string, string],
  { token, key, body }: CallOptions = {},
): Promise<AdminResponse> {
  try {
    const response = await fetch(`${admin.program.url}${path}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      signal: AbortSignal.timeout(callMaxMs),
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const parsed: unknown = isJson && text !== '' ? JSON.parse(text) : text;
    return { status: response.status, code: Object(Object(parsed).error).code, body: parsed };
  } catch (error) {
    return { status: 0, code: String(error), body: undefined };
  }
}

/** Log-ins of a user are limited, so each session is used until it ends. */
export class Sessions {
  readonly #tokens = new Map<string, Promise<string>>();
  readonly #admins: Replicas;

  constructor(admins: Replicas) {
    this.#admins = admins;
  }

  tokenOf(user: Customer): Promise<string> {
    const known = this.#tokens.get(user.email);
    if (known !== undefined) return known;
    const token = logIn(this.#admins, user);
    this.#tokens.set(user.email, token);
    return token;
  }

  /** After a 401. */
  end({ email }: Customer): void {
    this.#tokens.delete(email);
  }
}

/** Tries every admin until one responds. */
export function logIn(admins: Replicas, { email }: Customer): Promise<string> {
  return waitFor('a log-in', logInMaxMs, async () => {
    for (const admin of admins.alive) {
      const { body } = await askAdmin(admin, ['POST', '/api/auth/login'], { body: { email, password: testPassword } });
      const { accessToken } = Object(body);
      if (typeof accessToken === 'string') return accessToken;
    }
    return undefined;
  });
}
