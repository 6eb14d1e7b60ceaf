/** Wherever the proxy is started in production, Bun gets the settings that the tests and the bench give it. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import runtimeEnvironment from '../../local/npm/runtime-environment.json' with { type: 'json' };
import packageJson from '../../package.json' with { type: 'json' };

const textOf = (path: string) => Bun.file(join(import.meta.dir, '../../deploy', path)).text();

const places: [name: string, settings: string | undefined][] = [
  ['its image', /^FROM \S+ AS proxy\nENV (.+)$/m.exec(await textOf('Containerfile'))?.[1]],
  ['its unit', /^Environment=(.+)$/m.exec(await textOf('systemd/gateway-proxy@.service'))?.[1]],
  ['npm run proxy', /^export (.+);/.exec(packageJson.scripts.proxy)?.[1]],
];

test.each(places)('%s has the settings of the runtime', (_name, settings) => {
  const wanted = Object.entries(runtimeEnvironment).map(([variable, value]) => `${variable}=${value}`);
  expect(settings?.split(' ')).toEqual(expect.arrayContaining(wanted));
});
