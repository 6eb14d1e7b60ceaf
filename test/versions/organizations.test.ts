/** People of the last release and of this version, beside each other: accounts become organizations without anyone noticing. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Session } from '../../admin/api/auth/session.ts';
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
  const body = { email: randomEmail(), password: goodPassword };
  const response = await call<Session>(at, 'POST /api/auth/register', { body });
  expect(response.status).toBe(201);
  return response.body;
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
    // As an invitation that was accepted; the mail with the link is sent at once.
    const membership = { account_id: ada.organization.id, user_id: bob.user.id, role: 'member' };
    await harness.database.sql`INSERT INTO memberships ${harness.database.sql(membership)}`;
    const switching = { token: bob.accessToken, body: { organizationId: ada.organization.id } };
    const joined = await call<Session>(admin, 'POST /api/auth/switch', switching);
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
