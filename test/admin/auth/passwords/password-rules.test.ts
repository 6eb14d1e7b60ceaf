/** Which passwords are refused, and that good ones are not. */
import { describe, expect, test } from 'bun:test';
import { checkPassword } from '../../../../admin/auth/passwords/password-rules.ts';
import { GatewayError } from '../../../../shared/errors.ts';
import { guardTimeoutMs } from '../../../harness/account-view.ts';

const check = (password: string) => checkPassword(password, { email: 'anna.smith@example.com', param: 'new_password' });

describe('the rules refuse', () => {
  test.each([
    'elevenchars',
    'x'.repeat(257),
    'anna.smith@example.com',
    'ANNA.Smith@Example.com',
    'password1234',
    'Password123!',
    'P@ssw0rd12345',
    'passwordpassword',
    'Qwerty123456',
    'qwertyuiop[]',
    '1qaz2wsx3edc',
    '123456789012',
    '210987654321',
    'abcdefghijkl',
    'aaaaaaaaaaaa',
    'abcabcabcabc',
    '121212121212',
    'iloveyou2024!',
    'letmeinletmein',
    'adminadmin123',
    '!!!welcome2026',
  ])('%s', (password) => {
    expect(() => check(password)).toThrow(GatewayError);
  });
});

describe('the rules accept', () => {
  test.each([
    'correct horse battery staple',
    'three-quiet-otters-sing',
    'Tr0ub4dor&3-and-more',
    'пароль из многих слов',
    'a8$kd92.fj3Q',
    'x9x9x9Zebra!',
    `${'kumquat '.repeat(31)}tree`,
  ])('%s', (password) => {
    expect(() => check(password)).not.toThrow();
  });
});

test('the password error names the field and never repeats the password', () => {
  try {
    check('Password123!');
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ code: 'invalid_parameter', param: 'new_password' });
    expect(String(error)).not.toContain('Password123!');
  }
});

test('no password takes long to check', () => {
  // An expression that tried every way to split the password would take years.
  const started = performance.now();
  for (const part of ['abc', 'passw', 'love', 'qwe', 'test', 'asdf']) check(`${part.repeat(50)}§Xy7`);
  expect(performance.now() - started).toBeLessThan(guardTimeoutMs);
});
