/** Password guessing is slowed down, per account and address; it cannot lock out a user who has logged in before. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { hashEmail } from '../../../../admin/auth/throttle/throttle.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { newestToken } from '../mailbox.ts';
import { type Api, goodPassword, randomAddress, randomEmail, register, startApi } from '../start-api.ts';

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
const waitOf = ({ headers }: { headers: Headers }) => Number(headers.get('retry-after'));

const pairKey = (email: string, address: string) => `{auth}:guesses:${hashEmail(email)}:${address}`;

/** Simulates that many wrong guesses, whose pause is over; the next one starts a pause longer than any test. */
async function guessed(email: string, address: string): Promise<void> {
  await harness.redis.hset(pairKey(email, address), 'guesses', 13);
}

test('only one of concurrent guesses is checked, and then even the right password has to wait', async () => {
  const { email } = await register(api);
  const address = randomAddress();
  await guessed(email, address);
  const responses = await Promise.all(Array.from({ length: 14 }, () => attempt(email, wrong, address)));
  expect(responses.filter(({ status }) => status === 401).length).toBe(1);
  expect(responses.filter(({ status }) => status === 429).length).toBe(13);
  const refused = await attempt(email.toUpperCase(), goodPassword, address);
  expect(refused.error).toMatchObject({ type: 'rate_limit_error', code: 'too_many_attempts' });
  expect(waitOf(refused)).toBeWithin(100, 257);
});

test('each further wrong guess doubles the pause, up to a quarter of an hour', async () => {
  const { email } = await register(api);
  const address = randomAddress();
  const pauses: number[] = [];
  for (let guess = 1; guess <= 18; guess += 1) {
    expect((await attempt(email, wrong, address)).status).toBe(401);
    const [until, [seconds]] = [await harness.redis.hget(pairKey(email, address), 'until'), await harness.redis.time()];
    pauses.push(until === null ? 0 : Math.ceil(Number(until) / 1_000 - Number(seconds)));
    await harness.redis.hdel(pairKey(email, address), 'until');
  }
  expect(pauses.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
  for (const [index, pause] of pauses.slice(5).entries()) {
    const longest = Math.min(2 ** index, 900);
    expect(pause).toBeWithin(longest - 5, longest + 2);
  }
});

test('guesses from other clients do not lock the owner out, however many there are', async () => {
  const { email } = await register(api);
  const home = randomAddress();
  for (let address = 0; address < 60; address += 1) await attempt(email, wrong);
  expect((await attempt(email, goodPassword, home)).status).toBe(200);
  for (let address = 0; address < 10; address += 1) await attempt(email, wrong);
  expect((await attempt(email, goodPassword, home)).status).toBe(200);
});

test('an unknown client has one guess at an account that is guessed at from many addresses', async () => {
  const { email } = await register(api);
  const home = randomAddress();
  expect((await attempt(email, goodPassword, home)).status).toBe(200);
  await harness.redis.set(`{auth}:guesses:${hashEmail(email)}`, 50, 'PX', 60_000);
  const stranger = randomAddress();
  expect((await attempt(email, wrong, stranger)).status).toBe(401);
  expect(await harness.redis.hexists(pairKey(email, stranger), 'until')).toBe(1);
  // A client that has logged in before may still mistype as usual.
  for (let guess = 0; guess < 5; guess += 1) expect((await attempt(email, wrong, home)).status).toBe(401);
  expect(await harness.redis.hexists(pairKey(email, home), 'until')).toBe(0);
  expect((await attempt(email, goodPassword, home)).status).toBe(200);
});

test('an unknown e-mail is throttled like a known one, so the throttle reveals nothing', async () => {
  const [email, address] = [randomEmail(), randomAddress()];
  for (let guess = 0; guess < 5; guess += 1) expect((await attempt(email, wrong, address)).status).toBe(401);
  await guessed(email, address);
  expect((await attempt(email, wrong, address)).status).toBe(401);
  expect((await attempt(email, wrong, address)).status).toBe(429);
});

test('successful log-ins do not count, and clear earlier wrong guesses', async () => {
  const { email } = await register(api);
  const address = randomAddress();
  for (let login = 0; login < 12; login += 1) {
    expect((await attempt(email, wrong, address)).status).toBe(401);
    expect((await attempt(email, goodPassword, address)).status).toBe(200);
  }
  expect(await harness.redis.exists(pairKey(email, address))).toBe(0);
});

test('an address that guesses at many accounts is refused, except at one that logged in from it before', async () => {
  const address = randomAddress();
  const [colleague, newcomer] = [await register(api), await register(api)];
  expect((await attempt(colleague.email, goodPassword, address)).status).toBe(200);
  await harness.redis.set(`{auth}:guesses:${address}`, 99, 'PX', 60_000);
  expect((await attempt(randomEmail(), wrong, address)).status).toBe(401);
  const refused = await attempt(newcomer.email, goodPassword, address);
  expect(refused.status).toBe(429);
  expect(waitOf(refused)).toBeLessThanOrEqual(60);
  expect((await attempt(newcomer.email, goodPassword)).status).toBe(200);
  expect((await attempt(colleague.email, goodPassword, address)).status).toBe(200);
});

/** Some of the earlier guesses may have expired. */
const counters = async () => new Set(await harness.redis.keys('{auth}:*'));

test('a refused attempt leaves no trace in Redis', async () => {
  const [email, address] = [randomEmail(), randomAddress()];
  await harness.redis.set(`{auth}:guesses:${address}`, 100, 'PX', 60_000);
  const before = await counters();
  for (let refusal = 0; refusal < 12; refusal += 1) expect((await attempt(email, wrong, address)).status).toBe(429);
  expect((await counters()).difference(before)).toEqual(new Set());
});

test('a client that resets its password can log in immediately', async () => {
  const { email } = await register(api);
  const address = randomAddress();
  const headers = { 'x-forwarded-for': address };
  await guessed(email, address);
  await attempt(email, wrong, address);
  expect((await attempt(email, goodPassword, address)).status).toBe(429);
  await api.call('POST', '/api/auth/forgot-password', { body: { email }, headers });
  const token = await newestToken(harness, email, 'reset_password');
  const password = 'an entirely new password';
  const reset = await api.call('POST', '/api/auth/reset-password', {
    body: { token, new_password: password },
    headers,
  });
  expect(reset.status).toBe(204);
  expect((await attempt(email, password, address)).status).toBe(200);
});

test('refused sign-ups and requests for mails leave no trace in Redis', async () => {
  const address = randomAddress();
  const headers = { 'x-forwarded-for': address };
  await harness.redis.set(`{auth}:mails:${address}`, 30, 'PX', 60_000);
  await harness.redis.set(`{auth}:sign-ups:${address}`, 100, 'PX', 60_000);
  const before = await counters();
  for (let count = 0; count < 10; count += 1) {
    const mail = await api.call('POST', '/api/auth/forgot-password', { body: { email: randomEmail() }, headers });
    const body = { email: randomEmail(), password: goodPassword };
    const signUp = await api.call('POST', '/api/auth/register', { body, headers });
    expect([mail.status, signUp.status]).toEqual([429, 429]);
  }
  expect((await counters()).difference(before)).toEqual(new Set());
});

test('every counter of the throttle expires', async () => {
  await attempt(randomEmail(), wrong);
  const keys = await harness.redis.keys('{auth}:*');
  expect(keys.length).toBeGreaterThan(0);
  for (const key of keys) expect(await harness.redis.pttl(key)).toBeGreaterThan(0);
});
