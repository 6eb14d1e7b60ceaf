/** Providers' keys in files: read again in time, and kept if a file is missing for a moment. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeyFiles } from '../../../shared/config/key-files.ts';
import { loadProxyConfig } from '../../../shared/config/proxy.ts';

const directory = mkdtempSync(join(tmpdir(), 'key-files-'));
const path = join(directory, 'key');

afterAll(() => rmSync(directory, { recursive: true }));

test('a key rotated in its file is used within a minute', () => {
  let nowMs = 0;
  const files = new KeyFiles(() => nowMs);
  writeFileSync(path, 'sk-1\n');
  expect(files.keyIn(path, 'A_FILE')).toEqual({ ok: true, key: 'sk-1' });
  writeFileSync(path, 'sk-2\n');
  nowMs = 59_999;
  expect(files.keyIn(path, 'A_FILE')).toEqual({ ok: true, key: 'sk-1' });
  nowMs = 60_000;
  expect(files.keyIn(path, 'A_FILE')).toEqual({ ok: true, key: 'sk-2' });
});

test('if a file can no longer be read, its last key stays in use', () => {
  let nowMs = 0;
  const files = new KeyFiles(() => nowMs);
  writeFileSync(path, 'sk-1');
  files.keyIn(path, 'A_FILE');
  rmSync(path);
  nowMs = 60_000;
  expect(files.keyIn(path, 'A_FILE')).toEqual({ ok: true, key: 'sk-1' });
});

test('a missing or empty file is reported with the name of its variable', () => {
  const files = new KeyFiles();
  expect(files.keyIn(join(directory, 'none'), 'A_FILE')).toEqual({
    ok: false,
    problem: expect.stringContaining('A_FILE names a file that cannot be read'),
  });
  writeFileSync(path, ' \n');
  expect(files.keyIn(path, 'A_FILE')).toEqual({ ok: false, problem: 'A_FILE names an empty file' });
});

test('the proxy reads a key from its variable or from the file that NAME_FILE names', () => {
  writeFileSync(path, 'sk-in-file');
  const { providerKey } = loadProxyConfig({
    REDIS_URL: 'redis://127.0.0.1:6379',
    KEY_PEPPER: 'p'.repeat(32),
    A_API_KEY_FILE: path,
    B_API_KEY: 'sk-in-variable',
  });
  expect(providerKey('A_API_KEY')).toEqual({ ok: true, key: 'sk-in-file' });
  expect(providerKey('B_API_KEY')).toEqual({ ok: true, key: 'sk-in-variable' });
  expect(providerKey('A_API_KEY_FILE')).toMatchObject({ ok: false });
});
