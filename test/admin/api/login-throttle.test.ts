/** Guessing passwords is slowed down, for one account from everywhere and from one address for every account. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Harness, startHarness } from '../../harness.ts';
import { type Api, goodPassword, randomAddress, randomEmail, register, startApi } from './start-api.ts';

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

const attempt = (email: string, password: string, address = randomAddress()) =>
  api.call('POST', '/api/auth/login', { body: { email, password }, headers: { 'x-forwarded-for': address } });
const wrong = 'not-the-right-password';

test('after 10 failures even the right password is refused, with the time to wait', async () => {
  const { email } = await register(api);
  // All at once: the limit must not depend on one guess being finished before the next.
  const answers = await Promise.all(Array.from({ length: 14 }, () => attempt(email, wrong)));
  expect(answers.filter(({ status }) => status === 401).length).toBe(10);
  expect(answers.filter(({ status }) => status === 429).length).toBe(4);
  const { status, error, headers } = await attempt(email.toUpperCase(), goodPassword);
  expect(status).toBe(429);
  expect(error).toMatchObject({ type: 'rate_limit_error', code: 'too_many_attempts' });
  const waitSeconds = Number(headers.get('retry-after'));
  expect(waitSeconds).toBeGreaterThan(850);
  expect(waitSeconds).toBeLessThanOrEqual(900);
});

test('an unknown e-mail is throttled like a known one, so the throttle tells nothing', async () => {
  const email = randomEmail();
  for (let failure = 0; failure < 10; failure += 1) expect((await attempt(email, wrong)).status).toBe(401);
  expect((await attempt(email, wrong)).status).toBe(429);
});

test('successful log-ins do not count', async () => {
  const { email } = await register(api);
  for (let login = 0; login < 12; login += 1) expect((await attempt(email, goodPassword)).status).toBe(200);
});

test('an address with 50 failures is refused for every account', async () => {
  const address = randomAddress();
  await harness.redis.set(`auth:failures:address:${address}`, 49, 'PX', 60_000);
  expect((await attempt(randomEmail(), wrong, address)).status).toBe(401);
  const { email } = await register(api);
  const refused = await attempt(email, goodPassword, address);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  expect((await attempt(email, goodPassword)).status).toBe(200);
});

test('a refused attempt does not lengthen the wait or count for the account', async () => {
  const address = randomAddress();
  await harness.redis.set(`auth:failures:address:${address}`, 50, 'PX', 60_000);
  const { email } = await register(api);
  for (let refusal = 0; refusal < 12; refusal += 1) expect((await attempt(email, wrong, address)).status).toBe(429);
  expect((await attempt(email, goodPassword)).status).toBe(200);
});

test('every counter goes away by itself', async () => {
  await attempt(randomEmail(), wrong);
  const keys = await harness.redis.keys('auth:*');
  expect(keys.length).toBeGreaterThan(0);
  for (const key of keys) expect(await harness.redis.pttl(key)).toBeGreaterThan(0);
});
