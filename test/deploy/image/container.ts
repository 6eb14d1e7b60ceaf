/**
 * Runs a command of an image as an orchestrator does, with runc: as the image's user, without capabilities, with a
 * read-only file system. Only the network is that of the machine, where the test's servers are.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Child, startChild } from '../../../local/processes/child.ts';
import type { Image } from './build.ts';

export interface ContainerOptions {
  readonly image: Image;
  /** A folder for this container only. */
  readonly directory: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Instead of the image's command; with `entrypoint` instead of its entry point too. */
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  /** What is mounted at /run/secrets. */
  readonly secrets?: string;
}

export async function startContainer(options: ContainerOptions): Promise<Child> {
  const { directory } = options;
  const name = `gateway-${crypto.randomUUID()}`;
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'config.json'), JSON.stringify(runtimeConfig(options)));
  return startChild({
    name,
    command: [Bun.which('runc') ?? 'runc', '--root', join(directory, 'state'), 'run', '--bundle', directory, name],
    directory,
    environment: { PATH: process.env.PATH ?? '' },
    logFile: join(directory, 'container.log'),
  });
}

/** https://github.com/opencontainers/runtime-spec/blob/main/config.md */
function runtimeConfig({ image, environment = {}, command, entrypoint, secrets }: ContainerOptions): object {
  const { User = '', Env = [], Entrypoint = [], Cmd = [], WorkingDir = '/' } = image.config;
  const [uid, gid] = User.split(':').map(Number);
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const none: readonly string[] = [];
  return {
    ociVersion: '1.0.2',
    process: {
      user: { uid, gid },
      args: [...(entrypoint ?? Entrypoint), ...(command ?? (entrypoint === undefined ? Cmd : []))],
      env: [...Env, ...variables],
      cwd: WorkingDir,
      capabilities: { bounding: none, effective: none, inheritable: none, permitted: none, ambient: none },
      noNewPrivileges: true,
    },
    root: { path: image.rootfs, readonly: true },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'strictatime', 'mode=755'] },
      { destination: '/tmp', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'nodev', 'mode=1777'] },
      ...(secrets === undefined
        ? []
        : [{ destination: '/run/secrets', type: 'bind', source: secrets, options: ['bind', 'ro'] }]),
    ],
    linux: { namespaces: [{ type: 'pid' }, { type: 'mount' }, { type: 'ipc' }, { type: 'uts' }] },
  };
}
