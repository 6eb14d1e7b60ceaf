/** People of the last release and of this version, beside each other: accounts become organizations without anyone noticing. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Session } from '../../admin/api/auth/session.ts';
import { newestToken } from '../admin/api/mailbox.ts';
import { goodPassword, randomEmail } from '../admin/api/start-api.ts';
import type { Program } from '../harness/programs.ts';
import { type Harness, startHarness } from '../harness.ts';
import { checkOut, findLastRelease, hasHistory } from './last-release.ts';

const release = await findLastRelease();
const isHere = await hasHistory(release);
if (!isHere) console.log(`skipped: the history of this copy has no commit ${release.commit} (${release.version})`);
const checkout = isHere ? await checkOut(release) : undefined;

let harness: Harness;
let former: Program;
let admin: Program;
beforeAll(async () => {
  if (!isHere) return;
  harness = await startHarness();
  [former, admin] = await Promise.all([harness.startAdmin({}, checkout?.directory), harness.startAdmin()]);
});
afterAll(async () => {
  await Promise.all([former?.stop(), admin?.stop()]);
  await harness?.stop();
  await checkout?.remove();
});

async function call<Body>(
  at: Program,
  route: string,
  { token, body }: { token?: string; body?: object } = {},
): Promise<{ status: number; body: Body }> {
  const [method = '', path = ''] = route.split(' ');
  const response = await fetch(`${at.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

async function signUp(at: Program): Promise<Session> {
  const email = randomEmail();
  const { status, body } = await call<Session>(at, 'POST /api/auth/register', {
    body: { email, password: goodPassword },
  });
  expect(status).toBe(201);
  const token = await newestToken(harness, email, 'verify_email');
  const verified = await call(at, 'POST /api/auth/verify-email', { token: body.accessToken, body: { token } });
  expect(verified.status).toBe(200);
  return body;
}

const balance = async (at: Program, token: string) => (await call(at, 'GET /api/balance', { token })).status;
const refresh = (at: Program, refreshToken: string) =>
  call<Session>(at, 'POST /api/auth/refresh', { body: { refreshToken } });

describe.skipIf(!isHere)(`beside release ${release.version}`, () => {
  test('whoever signs up there is the owner here, and sessions of each work in the other', async () => {
    const session = await signUp(former);
    const { body } = await call<{ name: string; role: string }>(admin, 'GET /api/organization', {
      token: session.accessToken,
    });
    expect(body).toMatchObject({ name: session.user.email, role: 'owner' });
    const here = await refresh(admin, session.refreshToken);
    expect(await balance(former, here.body.accessToken)).toBe(200);
    const there = await refresh(former, here.body.refreshToken);
    expect(await balance(admin, there.body.accessToken)).toBe(200);
    const again = await refresh(admin, there.body.refreshToken);
    expect(again.body.organization).toMatchObject({ name: session.user.email, role: 'owner' });
  });

  test('a session in another organization is refused there, and goes home when it is refreshed there', async () => {
    const [ada, bob] = [await signUp(admin), await signUp(former)];
    const invitation = { email: bob.user.email, role: 'member' };
    expect((await call(admin, 'POST /api/invitations', { token: ada.accessToken, body: invitation })).status).toBe(201);
    const link = { token: await newestToken(harness, bob.user.email, 'invitation') };
    const joined = await call<Session>(admin, 'POST /api/invitations/accept', { token: bob.accessToken, body: link });
    expect(joined.body.organization.id).toBe(ada.organization.id);
    expect(await balance(former, joined.body.accessToken)).toBe(401);
    const home = await refresh(former, joined.body.refreshToken);
    expect(home.status).toBe(200);
    const { body } = await call<{ id: number; role: string }>(admin, 'GET /api/organization', {
      token: home.body.accessToken,
    });
    expect(body.role).toBe('owner');
    expect(body.id).not.toBe(ada.organization.id);
  });
});
