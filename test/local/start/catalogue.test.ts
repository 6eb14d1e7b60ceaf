/** The catalogue of an existing data folder when the demo provider has moved. */
import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { ensureCatalogue } from '../../../local/start/catalogue.ts';
import type { CommandResult, OperatorCommand } from '../../../local/start/operator-command.ts';
import { temporaryDirectories } from '../temporary-directory.ts';

const newDirectory = temporaryDirectories();
const oldUrl = 'http://127.0.0.1:8082/v1';
const demoUrl = 'http://127.0.0.1:9999/v1';
const refused: CommandResult = { ok: false, code: 'invalid_catalogue', message: 'apiKeyEnv MY_KEY …' };

function ensure(applied: CommandResult, appliedDemoUrl: string | undefined) {
  const command: OperatorCommand = async ([, verb, path = '']) => {
    if (verb === 'apply') return applied;
    writeFileSync(path, `baseUrl: ${oldUrl}`);
    return { ok: true, result: {} };
  };
  return ensureCatalogue({ command, dataDir: newDirectory(), cataloguePath: undefined, demoUrl, appliedDemoUrl });
}

test('a catalogue that breaks a newer rule stays effective unchanged, and the start continues', async () => {
  const done = await ensure(refused, oldUrl);
  expect(done.demoUrl).toBe(oldUrl);
  expect(done.text).toContain(oldUrl);
  expect(done.text).toContain('MY_KEY');
});

test('a catalogue that can be applied gets the new address', async () => {
  expect((await ensure({ ok: true, result: {} }, oldUrl)).demoUrl).toBe(demoUrl);
});

test('any other failure ends the start, and so does an invalid catalogue at the first start', async () => {
  await expect(ensure(refused, undefined)).rejects.toThrow('MY_KEY');
  const away: CommandResult = { ok: false, code: 'database_unavailable', message: 'away' };
  await expect(ensure(away, oldUrl)).rejects.toThrow('away');
});
