/** The list of our own variables is what the programs read and what the README documents, no more and no less. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { loadAdminConfig } from '../../../shared/config/admin.ts';
import { ConfigurationError, type EnvironmentVariables } from '../../../shared/config/environment.ts';
import { loadDemoProviderConfiguration, readLocalConfiguration } from '../../../shared/config/local.ts';
import { ownVariables, type ProgramName, readersOf } from '../../../shared/config/own-variables.ts';
import { loadProxyConfig } from '../../../shared/config/proxy.ts';

const readme = join(import.meta.dir, '../../../README.md');
/** What every shell and npm set. */
const notOurs: ReadonlySet<string> = new Set(['npm_lifecycle_event', 'NO_COLOR', 'TERM']);

/** Every variable that `load` asks for, where none is set. */
function readBy(load: (variables: EnvironmentVariables) => unknown): string[] {
  const names = new Set<string>();
  const variables = new Proxy<EnvironmentVariables>(
    {},
    {
      get: (_, name) => {
        names.add(String(name).replace(/_FILE$/, ''));
        return undefined;
      },
    },
  );
  try {
    load(variables);
  } catch (error) {
    // Those that are required are missing.
    if (!(error instanceof ConfigurationError)) throw error;
  }
  return [...names].filter((name) => !notOurs.has(name)).sort();
}

const listedFor = (program: ProgramName) => ownVariables.filter((name) => readersOf(name)?.includes(program)).sort();

test('each program reads what is listed for it', () => {
  expect(readBy(loadProxyConfig)).toEqual(listedFor('proxy'));
  expect(readBy(loadAdminConfig)).toEqual(listedFor('admin'));
  expect(readBy(loadDemoProviderConfiguration)).toEqual(listedFor('demo-provider'));
});

test('whatever npm start reads is listed', () => {
  expect(readBy(readLocalConfiguration).filter((name) => !ownVariables.includes(name))).toEqual([]);
});

test('a file of a secret belongs to the program that reads the secret', () => {
  expect(readersOf('JWT_SECRET_FILE')).toEqual(['admin']);
  expect(readersOf('PATH')).toBeUndefined();
  expect(readersOf('constructor')).toBeUndefined();
});

test("the README's configuration lists every one of them, and nothing else but providers' keys", async () => {
  const [, section = ''] = (await Bun.file(readme).text()).split('\n## Configuration\n');
  const rows = section.slice(0, section.indexOf('\n## ')).matchAll(/^\| (`[^|]*) \|/gm);
  const names = [...rows].flatMap(([, cell = '']) => [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name));
  expect(names.filter((name) => !name.endsWith('_API_KEY')).sort()).toEqual([...ownVariables].sort());
});
