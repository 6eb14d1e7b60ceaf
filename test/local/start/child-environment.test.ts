/**
 * The environment that `npm start` gives to each program: the settings and secrets it reads, and no other program's.
 */
import { expect, test } from 'bun:test';
import { readLocalConfiguration } from '../../../local/configuration.ts';
import { childEnvironment } from '../../../local/start/child-environment.ts';
import { ownVariables, type ProgramName, readersOf } from '../../../shared/config/own-variables.ts';
import { temporaryDirectories } from '../temporary-directory.ts';

const newDirectory = temporaryDirectories();
const addresses = {
  host: '127.0.0.1',
  proxyPort: 1,
  adminPort: 2,
  demoPort: 3,
  proxyUrl: 'http://127.0.0.1:1',
  adminUrl: 'http://127.0.0.1:2',
  demoUrl: 'http://127.0.0.1:3/v1',
};
const services = { databaseUrl: 'postgres://user:secret@127.0.0.1:4/x', redisUrl: 'redis://127.0.0.1:5' };

function start(given: Record<string, string> = {}) {
  const configuration = readLocalConfiguration({ ...given, DATA_DIR: newDirectory() }).configuration;
  return childEnvironment({ configuration, addresses, ...services });
}

const programs: readonly ProgramName[] = ['proxy', 'admin', 'demo-provider'];
/** The programs that get it. */
function receivers(variable: string, given: Record<string, string> = {}): ProgramName[] {
  const { of } = start({ ...given, [variable]: 'x' });
  return programs.filter((program) => of(program)[variable] !== undefined);
}

test('generated settings go only to the programs that read them', () => {
  const { of, own } = start();
  expect(own).toMatchObject({ JWT_SECRET: expect.any(String), KEY_PEPPER: expect.any(String) });
  for (const program of programs) {
    const foreign = Object.keys(of(program)).filter((name) => readersOf(name)?.includes(program) === false);
    expect([program, foreign]).toEqual([program, []]);
  }
  expect(of('proxy')).toMatchObject({ REDIS_URL: services.redisUrl, KEY_PEPPER: own.KEY_PEPPER });
  expect(of('admin')).toMatchObject({ DATABASE_URL: services.databaseUrl, JWT_SECRET: own.JWT_SECRET });
  expect(JSON.stringify(of('demo-provider'))).not.toContain(String(own.KEY_PEPPER));
});

test('files are stored in the data folder, unless the user has a folder or a bucket for them', () => {
  expect(start().of('proxy').FILES_DIR).toEndWith('/files');
  expect(start({ FILES_DIR: '/srv/files' }).of('proxy').FILES_DIR).toBe('/srv/files');
  expect(start({ FILES_S3_URL: 'https://key:secret@s3.example.com/bucket' }).of('proxy').FILES_DIR).toBeUndefined();
  expect(start().of('admin').ARCHIVE_DIR).toEndWith('/archive');
  expect(start({ ARCHIVE_S3_URL_FILE: '/run/secrets/s3' }).of('admin').ARCHIVE_DIR).toBeUndefined();
});

test.each([
  ['JWT_SECRET', ['admin']],
  ['JWT_SECRET_FILE', ['admin']],
  ['SMTP_URL', ['admin']],
  ['SMTP_URL_FILE', ['admin']],
  ['PGPASSWORD', ['admin']],
  ['KEY_PEPPER', ['proxy', 'admin']],
  ['METRICS_TOKEN', ['proxy', 'admin']],
  ['FILES_SECRET', ['proxy']],
  ['FILES_S3_URL_FILE', ['proxy']],
  ['ARCHIVE_S3_URL', ['admin']],
  ['RATE_LIMIT_REQUESTS_PER_MINUTE', ['proxy']],
  ['OPENAI_API_KEY', ['proxy']],
  ['GIGACHAT_AUTHORIZATION_KEY', ['proxy']],
  ['HTTPS_PROXY', programs],
] as const)("the user's %s goes to %j", (variable, expected) => {
  expect(receivers(variable)).toEqual([...expected]);
});

test('a listed key goes only to the proxy, and the list to everything that checks catalogues', () => {
  const list = { PROVIDER_KEYS: 'MY_TOKEN' };
  expect(receivers('MY_TOKEN', list)).toEqual(['proxy']);
  const { of, own } = start(list);
  expect([of('proxy'), of('admin'), own].map(({ PROVIDER_KEYS }) => PROVIDER_KEYS)).toEqual(Array(3).fill('MY_TOKEN'));
  const { problems } = readLocalConfiguration({ PROVIDER_KEYS: 'JWT_SECRET' });
  expect(problems).toEqual([expect.stringContaining('PROVIDER_KEYS lists JWT_SECRET')]);
});

test('no program gets a gateway variable that it does not read', () => {
  const unread = ownVariables.filter((name) => readersOf(name)?.length === 0);
  for (const name of unread) expect([name, receivers(name)]).toEqual([name, []]);
});
