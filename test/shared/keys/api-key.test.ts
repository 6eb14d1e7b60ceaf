/** The form of API keys: what can be refused without a lookup. */
import { expect, test } from 'bun:test';
import { displayedPrefix, generateKey, hashKey, parseKey } from '../../../shared/keys/api-key.ts';
import { allShards } from '../../../shared/wallet/shard.ts';

test('a key names its kind and its shard', () => {
  for (const shard of allShards) {
    const proxy = generateKey('proxy', shard);
    expect(proxy).toMatch(/^ms-\d\d[0-9A-Za-z]{38}$/);
    expect(parseKey(proxy)).toEqual({ kind: 'proxy', shard });
    expect(parseKey(generateKey('billing', shard))).toEqual({ kind: 'billing', shard });
  }
});

test('a single wrong character in a key is detected, wherever it is', () => {
  const key = generateKey('proxy', allShards[7] ?? (0 as never));
  for (let position = 0; position < key.length; position += 1) {
    const other = key[position] === 'a' ? 'b' : 'a';
    expect(parseKey(key.slice(0, position) + other + key.slice(position + 1))).toBeUndefined();
  }
  for (const text of ['', 'ms-', key.slice(0, -1), `${key}a`, key.toUpperCase(), ` ${key}`, 'x'.repeat(43)]) {
    expect(parseKey(text)).toBeUndefined();
  }
});

test('keys are unique, their prefix shows 11 characters, and their hash depends on the pepper', () => {
  const shard = allShards[0] ?? (0 as never);
  const keys = new Set(Array.from({ length: 1_000 }, () => generateKey('proxy', shard)));
  expect(keys.size).toBe(1_000);
  const [key = ''] = keys;
  expect(displayedPrefix(key)).toBe(key.slice(0, 11));
  expect(hashKey(key, 'one pepper')).toMatch(/^[0-9a-f]{64}$/);
  expect(hashKey(key, 'one pepper')).not.toBe(hashKey(key, 'another'));
});
