/** The list of own variables matches what the programs read and what the documentation lists. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { loadAdminConfig } from '../../../admin/config/admin.ts';
import { loadDemoProviderConfiguration, readLocalConfiguration } from '../../../local/configuration.ts';
import { ConfigurationError, type EnvironmentVariables } from '../../../shared/config/environment.ts';
import { ownVariables, type ProgramName, readersOf, secretVariables } from '../../../shared/config/own-variables.ts';
import { loadProxyConfig } from '../../../shared/config/proxy.ts';

const configurationDocument = join(import.meta.dir, '../../../docs/configuration.md');
/** Set by every shell and by npm, or for every program that reaches the internet through a proxy. */
const notOurs: ReadonlySet<string> = new Set([
  ...['npm_lifecycle_event', 'NO_COLOR', 'TERM'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'],
]);

/** Every variable that `load` reads when none is set. A secret's file counts as the secret. */
function readBy(load: (variables: EnvironmentVariables) => unknown): string[] {
  const names = readAsGiven(load).map((name) => (ownVariables.includes(name) ? name : name.replace(/_FILE$/, '')));
  return [...new Set(names)].sort();
}

function readAsGiven(load: (variables: EnvironmentVariables) => unknown): string[] {
  const names = new Set<string>();
  const variables = new Proxy<EnvironmentVariables>(
    {},
    {
      get: (_, name) => {
        names.add(String(name));
        return undefined;
      },
    },
  );
  try {
    load(variables);
  } catch (error) {
    // The required variables are missing.
    if (!(error instanceof ConfigurationError)) throw error;
  }
  return [...names].filter((name) => !notOurs.has(name));
}

const listedFor = (program: ProgramName) => ownVariables.filter((name) => readersOf(name)?.includes(program)).sort();

test('each program reads exactly the variables listed for it', () => {
  expect(readBy(loadProxyConfig)).toEqual(listedFor('proxy'));
  expect(readBy(loadAdminConfig)).toEqual(listedFor('admin'));
  expect(readBy(loadDemoProviderConfiguration)).toEqual(listedFor('demo-provider'));
});

test('the programs read exactly the listed secrets from files', () => {
  const read = [...readAsGiven(loadProxyConfig), ...readAsGiven(loadAdminConfig)];
  const files = read.filter((name) => name.endsWith('_FILE') && !ownVariables.includes(name));
  expect([...new Set(files)].sort()).toEqual(secretVariables.map((name) => `${name}_FILE`).sort());
});

test('every variable that npm start reads is listed', () => {
  expect(readBy(readLocalConfiguration).filter((name) => !ownVariables.includes(name))).toEqual([]);
});

test('the file of a secret belongs to the program that reads the secret', () => {
  expect(readersOf('JWT_SECRET_FILE')).toEqual(['admin']);
  expect(readersOf('PATH')).toBeUndefined();
  expect(readersOf('constructor')).toBeUndefined();
});

test("the documentation lists every variable and nothing else except providers' keys", async () => {
  const rows = (await Bun.file(configurationDocument).text()).matchAll(/^\| (`[^|]*) \|/gm);
  const names = [...rows].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([A-Z0-9_]+)`/g)].map(([, name = '']) => name),
  );
  expect(names.filter((name) => !name.endsWith('_API_KEY')).sort()).toEqual([...ownVariables].sort());
});
