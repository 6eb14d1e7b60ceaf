/** Hashing is strong, limited, and reveals nothing by its timing. */
import { expect, spyOn, test } from 'bun:test';
import { PasswordHasher } from '../../../../admin/auth/passwords/password-hasher.ts';
import { testHashCosts as costs } from '../../../harness/customers.ts';

const password = 'three-quiet-otters-sing';

test('passwords are hashed with argon2id and 64 MiB', async () => {
  expect(await new PasswordHasher().hash(password)).toStartWith('$argon2id$v=19$m=65536,t=2,p=1$');
});

test('the hasher accepts the right password and refuses others', async () => {
  const passwords = new PasswordHasher({ costs });
  const hash = await passwords.hash(password);
  expect(await passwords.verify(password, hash)).toBe(true);
  expect(await passwords.verify(`${password}!`, hash)).toBe(false);
  expect(await passwords.verify(password, undefined)).toBe(false);
});

test('verifying without a hash does the work of a real hash, with the same costs and lengths', async () => {
  const passwords = new PasswordHasher();
  const hash = await passwords.hash(password);
  using verify = spyOn(Bun.password, 'verify');
  for (const against of [hash, undefined]) expect(await passwords.verify('something-else', against)).toBe(false);
  const shapes = verify.mock.calls.map(([, verified]) => {
    const [, algorithm, version, costs, salt, digest] = String(verified).split('$');
    return { algorithm, version, costs, saltLength: salt?.length, digestLength: digest?.length };
  });
  expect(shapes).toHaveLength(2);
  expect(shapes[0]?.digestLength).toBeGreaterThan(0);
  expect(shapes[1]).toEqual(shapes[0]);
});

test('callers beyond those running and waiting are refused with a Retry-After', async () => {
  const passwords = new PasswordHasher({ costs, atOnceMax: 1, waitingMax: 2 });
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => passwords.hash(password)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected']);
  const refused = outcomes.find((outcome) => outcome.status === 'rejected');
  expect(refused?.reason).toMatchObject({ code: 'overloaded', status: 503, retryAfterSeconds: 5 });
  expect(await passwords.hash(password)).toStartWith('$argon2id$');
});

test('a failed hash frees its slot', async () => {
  const passwords = new PasswordHasher({ costs, atOnceMax: 1, waitingMax: 0 });
  await expect(passwords.verify(password, 'not a hash')).rejects.toThrow();
  expect(await passwords.hash(password)).toStartWith('$argon2id$');
});
