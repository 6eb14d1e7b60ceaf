/** The command line uses the gateway that `npm start` runs, unless the environment names another one. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { useLocalEnvironment } from '../../../admin/config/local-environment.ts';
import { writeEnvironmentFile } from '../../../local/data/local-file.ts';
import { temporaryDirectories } from '../../local/temporary-directory.ts';

const newDirectory = temporaryDirectories();
const written = {
  DATABASE_URL: 'postgres://user:p$a\\$s"s@127.0.0.1:4/x',
  REDIS_URL: 'redis://127.0.0.1:5',
  KEY_PEPPER: 'x'.repeat(32),
  MAIL_FROM: 'Model Gateway <gateway@example.com>',
};

function used(given: Record<string, string>): Record<string, string | undefined> {
  const DATA_DIR = newDirectory();
  writeEnvironmentFile(join(DATA_DIR, 'gateway.env'), written);
  const { DATA_DIR: _, ...variables } = use({ ...given, DATA_DIR });
  return variables;
}

function use(variables: Record<string, string | undefined>) {
  useLocalEnvironment(variables);
  return variables;
}

test('every setting of the local gateway is read as it was written', () => {
  expect(used({})).toEqual(written);
  expect(used({ MAIL_FROM: 'me@example.com', DATABASE_URL: '' })).toEqual({ ...written, MAIL_FROM: 'me@example.com' });
});

test.each(['DATABASE_URL', 'DATABASE_URL_FILE', 'REDIS_URL', 'KEY_PEPPER', 'KEY_PEPPER_FILE'])(
  "nothing of the local gateway's file is used with %s in the environment",
  (name) => {
    expect(used({ [name]: 'other' })).toEqual({ [name]: 'other' });
  },
);

test("nothing changes without the local gateway's file", () => {
  expect(use({ DATA_DIR: '/nowhere' })).toEqual({ DATA_DIR: '/nowhere' });
});
