/** What a version leaves behind for the next ones, and how it is taken from a Redis and put into one. */
import type { RedisClient } from '../../shared/redis/connect.ts';

export interface Samples {
  readonly version: string;
  /** Keys of Redis by name; all values in base64. */
  readonly redis: Readonly<Record<string, StoredKey>>;
  /** Of a page. */
  readonly cursor: string;
  /** The hash was made with the pepper `pepper`. */
  readonly apiKey: { readonly key: string; readonly hash: string };
  /** Of `correct horse battery staple`. */
  readonly passwordHash: string;
}

export type StoredKey =
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'hash'; readonly fields: Readonly<Record<string, string>> }
  | { readonly type: 'zset'; readonly members: readonly string[] }
  | { readonly type: 'stream'; readonly entries: readonly string[] };

/** The requests of the samples, by what has become of them. */
export const ids = {
  running: '01980000-0000-7000-8000-000000000001',
  answered: '01980000-0000-7000-8000-000000000002',
  released: '01980000-0000-7000-8000-000000000003',
  estimated: '01980000-0000-7000-8000-000000000004',
  orphan: '01980000-0000-7000-8000-000000000005',
  /** Has no wallet. */
  orphanAccount: 7_001,
} as const;

const base64 = (buffer: Buffer | null | undefined) => (buffer ?? Buffer.of()).toString('base64');

export async function dumpKeys(redis: RedisClient): Promise<Samples['redis']> {
  const names = await redis.keys('*');
  const keys = await Promise.all(names.sort().map(async (name) => [name, await dumpKey(redis, name)] as const));
  return Object.fromEntries(keys);
}

async function dumpKey(redis: RedisClient, name: string): Promise<StoredKey> {
  const type = await redis.type(name);
  switch (type) {
    case 'string':
      return { type, value: base64(await redis.getBuffer(name)) };
    case 'hash': {
      const fields = Object.entries(await redis.hgetallBuffer(name));
      return { type, fields: Object.fromEntries(fields.map(([field, value]) => [field, base64(value)])) };
    }
    case 'zset':
      return { type, members: await redis.zrange(name, '0', '-1') };
    case 'stream': {
      const entries = await redis.xrange(name, '-', '+');
      return { type, entries: entries.map(([, [, text = '']]) => base64(Buffer.from(text))) };
    }
    default:
      throw new Error(`${name} is a ${type}, which no sample has`);
  }
}

/** Holds are due in a minute and a half, as they are when they have just been renewed. */
export async function loadKeys(redis: RedisClient, keys: Samples['redis']): Promise<void> {
  const dueAt = Date.now() + 90_000;
  for (const [name, key] of Object.entries(keys)) {
    if (key.type === 'string') await redis.set(name, Buffer.from(key.value, 'base64'));
    else if (key.type === 'zset') for (const member of key.members) await redis.zadd(name, dueAt, member);
    else if (key.type === 'stream') {
      for (const entry of key.entries) await redis.xadd(name, '*', 'entry', Buffer.from(entry, 'base64'));
    } else {
      for (const [field, value] of Object.entries(key.fields)) {
        await redis.hset(name, field, Buffer.from(value, 'base64'));
      }
    }
  }
}
