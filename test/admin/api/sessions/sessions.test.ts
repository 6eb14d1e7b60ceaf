/** Sessions: a user sees where they are logged in, and can end any session immediately. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Session } from '../../../../admin/api/auth/session.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import type { SessionList } from '../response-types.ts';
import { type Api, goodPassword, register, startApi } from '../start-api.ts';

let harness: Harness;
let api: Api;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

const sessions = '/api/profile/sessions';
const list = async (token: string) => (await api.call<SessionList>('GET', sessions, { token })).body.sessions;
const refresh = (refreshToken: string) => api.call<Session>('POST', '/api/auth/refresh', { body: { refreshToken } });
const statusWith = async (token: string) => (await api.call('GET', '/api/balance', { token })).status;

async function logInAgain(email: string, headers: Readonly<Record<string, string>> = {}) {
  const body = { email, password: goodPassword };
  return (await api.call<Session>('POST', '/api/auth/login', { body, headers })).body;
}

test('each log-in is a session with its client, and the caller’s own is marked', async () => {
  const { email, token } = await register(api);
  const client = { 'user-agent': 'Browser/1.0', 'x-forwarded-for': '192.0.2.7' };
  const other = await logInAgain(email, client);
  const [newest, oldest, ...more] = await list(token);
  expect(more).toEqual([]);
  expect(newest).toMatchObject({ current: false, address: '192.0.2.7', userAgent: 'Browser/1.0' });
  expect(oldest?.current).toBe(true);
  expect((await list(other.accessToken)).map(({ current }) => current)).toEqual([true, false]);
});

test('a refreshed session stays one session, keeps its beginning and shows its last client', async () => {
  const { email } = await register(api);
  const { refreshToken } = await logInAgain(email, { 'user-agent': 'Browser/1.0' });
  const token = (await refresh(refreshToken)).body.accessToken;
  const [before] = await list(token);
  const body = { refreshToken: (await refresh(refreshToken)).body.refreshToken };
  await api.call('POST', '/api/auth/refresh', { body, headers: { 'user-agent': 'Browser/2.0' } });
  const [after, ...others] = await list(token);
  expect(others).toHaveLength(1);
  expect(after).toMatchObject({ id: before?.id, createdAt: before?.createdAt, userAgent: 'Browser/2.0' });
  expect(Date.parse(after?.lastUsedAt ?? '')).toBeGreaterThan(Date.parse(before?.lastUsedAt ?? ''));
});

test('access and refresh tokens of a session ended elsewhere are refused immediately', async () => {
  const { email, token } = await register(api);
  const other = await logInAgain(email);
  const ended = (await list(token)).find(({ current }) => !current);
  expect((await api.call('DELETE', `${sessions}/${ended?.id}`, { token })).status).toBe(204);
  expect(await statusWith(other.accessToken)).toBe(401);
  expect((await refresh(other.refreshToken)).status).toBe(401);
  expect(await list(token)).toHaveLength(1);
  expect((await api.call('DELETE', `${sessions}/${ended?.id}`, { token })).status).toBe(404);
});

test('a session cannot be seen or ended by another user', async () => {
  const [mine, theirs] = [await register(api), await register(api)];
  const [session] = await list(theirs.token);
  const response = await api.call('DELETE', `${sessions}/${session?.id}`, { token: mine.token });
  expect(response).toMatchObject({ status: 404, error: { code: 'not_found' } });
  expect(await statusWith(theirs.token)).toBe(200);
  expect((await list(mine.token)).map(({ id }) => id)).not.toContain(session?.id ?? '');
});

test('signing out everywhere ends all sessions and clears the cookie', async () => {
  const { email, token } = await register(api);
  const other = await logInAgain(email);
  const response = await api.call('DELETE', sessions, { token });
  expect(response.status).toBe(204);
  expect(response.headers.get('set-cookie')).toContain('Max-Age=0');
  expect([await statusWith(token), await statusWith(other.accessToken)]).toEqual([401, 401]);
});

test('signing out everywhere else keeps the caller’s own session and its cookie', async () => {
  const { email, token } = await register(api);
  const other = await logInAgain(email);
  const response = await api.call('DELETE', `${sessions}?keepCurrent=true`, { token });
  expect(response.status).toBe(204);
  expect(response.headers.get('set-cookie')).toBeNull();
  expect([await statusWith(token), await statusWith(other.accessToken)]).toEqual([200, 401]);
});

test('an id that no session can have is refused with 400', async () => {
  const { token } = await register(api);
  const { status, error } = await api.call('DELETE', `${sessions}/7`, { token });
  expect(status).toBe(400);
  expect(error?.param).toBe('sessionId');
});
