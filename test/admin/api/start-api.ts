/** Admin's HTTP server in this process, on the harness's real Postgres and Redis, and a client for it. */
import type { Session } from '../../../admin/api/auth/session.ts';
import { PasswordHasher } from '../../../admin/auth/passwords/password-hasher.ts';
import { type AdminConfig, loadAdminConfig } from '../../../admin/config/admin.ts';
import { longWaits, type WaitLimits } from '../../../admin/database/connect.ts';
import { createServer } from '../../../admin/server.ts';
import { type AdminServices, closeServices, openServices } from '../../../admin/services.ts';
import type { ErrorBody } from '../../../shared/errors.ts';
import { createLog } from '../../../shared/log.ts';
import { whenReady } from '../../../shared/redis/connect.ts';
import { type Customer, testHashCosts, testPassword } from '../../harness/customers.ts';
import { undocumented } from '../../harness/openapi/account-responses.ts';
import { redisPatienceMs } from '../../harness/redis/patience.ts';
import type { Harness } from '../../harness.ts';
import { newestToken } from './mailbox.ts';

export interface CallOptions {
  readonly token?: string;
  /** An object is sent as JSON, text unchanged. */
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiResponse<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
  /** The members of an error's body. */
  readonly error: ErrorBody['error'] | undefined;
}

export interface Api {
  readonly url: string;
  readonly config: AdminConfig;
  readonly services: AdminServices;
  /** The caller chooses the body's type; the body is checked against the document. */
  call<Body>(method: string, path: string, options?: CallOptions): Promise<ApiResponse<Body>>;
  stop(): Promise<void>;
}

const redisReadyTimeoutMs = 60_000;

interface ApiOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly lifecycle?: Parameters<typeof createServer>[1];
  /** How long requests wait for Postgres: as in production where it is silent or gone; else as long as workers, for a busy machine. */
  readonly waits?: WaitLimits;
}

/** One hop is trusted, so that tests can choose the client address. */
export async function startApi(harness: Harness, options: ApiOptions = {}): Promise<Api> {
  const config = loadAdminConfig({
    DATABASE_URL: harness.databaseUrl,
    REDIS_URL: harness.redisUrl,
    REDIS_COMMAND_TIMEOUT_MS: String(redisPatienceMs),
    KEY_PEPPER: harness.keyPepper,
    JWT_SECRET: harness.jwtSecret,
    DATA_DIR: harness.directory,
    TRUSTED_PROXY_HOPS: '1',
    LOG_LEVEL: 'silent',
    ...options.environment,
  });
  const services = openServices(config, createLog({ program: 'admin', level: config.logLevel }), {
    waits: options.waits ?? longWaits,
  });
  if (options.environment?.REDIS_URL === undefined) await whenReady(services.redis, redisReadyTimeoutMs);
  const lifecycle = options.lifecycle ?? { workersReady: () => true, shuttingDown: () => false };
  const server = createServer(services, lifecycle, new PasswordHasher({ costs: testHashCosts }));
  server.listen({ hostname: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${server.server?.port}`;
  return {
    url,
    config,
    services,
    call: (method, path, callOptions) => call(method, `${url}${path}`, callOptions),
    stop: async () => {
      await server.stop(true);
      await closeServices(services);
    },
  };
}

/** Every response in every test is checked against the document. */
async function call<Body>(
  method: string,
  url: string,
  { token, body, headers }: CallOptions = {},
): Promise<ApiResponse<Body>> {
  const response = await fetch(url, {
    method,
    headers: {
      'x-forwarded-for': randomAddress(),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const parsed = isJson ? JSON.parse(text) : text;
  const apiResponse = { status: response.status, headers: response.headers, body: parsed, error: Object(parsed).error };
  const problems = undocumented(method, url, apiResponse);
  if (problems.length > 0)
    throw new Error(`${problems.join('\n')}\nThe document does not describe this (npm run openapi).`);
  return apiResponse;
}

/** So that one test's failures never count for another. */
export function randomAddress(): string {
  return `10.${[1, 2, 3].map(() => Math.floor(Math.random() * 256)).join('.')}`;
}

export function randomEmail(): string {
  return `${crypto.randomUUID()}@example.com`;
}

export const goodPassword = 'three-quiet-otters-sing';

/** Signs a new user up. */
export async function register(api: Api): Promise<{ email: string; token: string; refreshToken: string; id: number }> {
  const email = randomEmail();
  const { body } = await api.call<Session>('POST', '/api/auth/register', { body: { email, password: goodPassword } });
  return { email, token: body.accessToken, refreshToken: body.refreshToken, id: body.user.id };
}

/** Signs a new user up, who then follows the mailed link. */
export async function registerVerified(harness: Harness, api: Api): ReturnType<typeof register> {
  const user = await register(api);
  const body = { token: await newestToken(harness, user.email, 'verify_email') };
  const { status } = await api.call('POST', '/api/auth/verify-email', { token: user.token, body });
  if (status !== 200) throw new Error(`the address was not verified: ${status}`);
  return user;
}

export type Operator = Customer & { readonly token: string };

export async function createOperator(harness: Harness, api: Api): Promise<Operator> {
  const created = await harness.createCustomer({ usd: '0', role: 'operator' });
  return { ...created, token: await logIn(api, created.email, testPassword) };
}

/** Logs in a customer of the harness. */
export async function logIn(api: Api, email: string, password: string): Promise<string> {
  const { body } = await api.call<Session>('POST', '/api/auth/login', { body: { email, password } });
  return body.accessToken;
}
