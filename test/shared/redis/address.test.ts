/** REDIS_URL: the meaning of each form; every mistake is reported without the password. */
import { describe, expect, test } from 'bun:test';
import { parseRedisAddress } from '../../../shared/redis/address.ts';

const open = { username: undefined, password: undefined, usesTls: false };

test('REDIS_URL can name one server', () => {
  expect(parseRedisAddress('redis://localhost')).toEqual({
    kind: 'standalone',
    server: { host: 'localhost', port: 6379 },
    database: 0,
    access: open,
  });
  expect(parseRedisAddress('rediss://app:p%40ss%2Cword@[::1]:7000/3')).toEqual({
    kind: 'standalone',
    server: { host: '::1', port: 7000 },
    database: 3,
    access: { username: 'app', password: 'p@ss,word', usesTls: true },
  });
});

test('REDIS_URL can name the nodes of a cluster, which share a password', () => {
  expect(parseRedisAddress('redis://:secret@one:7000, redis://two')).toEqual({
    kind: 'cluster',
    nodes: [
      { host: 'one', port: 7000 },
      { host: 'two', port: 6379 },
    ],
    access: { ...open, password: 'secret' },
  });
});

test('REDIS_URL can name Sentinels and the name of their master', () => {
  expect(parseRedisAddress('redis+sentinel://one,two:26380/mymaster')).toEqual({
    kind: 'sentinel',
    sentinels: [
      { host: 'one', port: 26379 },
      { host: 'two', port: 26380 },
    ],
    masterName: 'mymaster',
    sentinelPassword: undefined,
    access: open,
  });
  expect(parseRedisAddress('rediss+sentinel://app:one@[::1]:1/my-master?sentinelPassword=t%26wo')).toMatchObject({
    sentinels: [{ host: '::1', port: 1 }],
    masterName: 'my-master',
    sentinelPassword: 't&wo',
    access: { username: 'app', password: 'one', usesTls: true },
  });
});

describe('a malformed REDIS_URL is refused without repeating the secret', () => {
  test.each([
    ['localhost:6379', 'not one of redis://'],
    ['http://:secret@localhost', 'not one of redis://'],
    ['redis://', 'not one of redis://'],
    ['redis://one,', 'not one of redis://'],
    ['redis://one,two', 'not one of redis://'],
    ['redis://:secret@one/name', 'not the number of a database'],
    ['redis://:secret@one/1,redis://two/1', 'a cluster has only 0'],
    ['redis://:secret@one,redis://:secret2@two', 'different users, passwords or schemes'],
    ['redis://one,rediss://two', 'different users, passwords or schemes'],
    ['redis+sentinel://one,two', 'is not redis+sentinel://'],
    ['redis+sentinel://:secret@one/', 'is not redis+sentinel://'],
    ['redis+sentinel://:secret@one:port/mymaster', 'is not redis+sentinel://'],
    ['redis+sentinel://one/mymaster?password=secret', 'unknown option password'],
  ])('%s', (text, reason) => {
    let message = '';
    try {
      parseRedisAddress(text);
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain(reason);
    expect(message).not.toContain('secret');
  });
});
