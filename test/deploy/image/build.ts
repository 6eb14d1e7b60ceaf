/**
 * Builds the images of `deploy/Containerfile` with buildah, where no registry is reachable: the base is made of
 * Debian's packages, and the build image also has this machine's Node and npm.
 *
 * Invariant: everything is in one folder, so that nothing is left in the machine's own storage of images.
 */
import { mkdir, realpath, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const root = join(import.meta.dir, '../../..');
const stepTimeoutMs = 8 * 60_000;
const version = '0.0.0-test';

export interface Image {
  /** Where its file system is mounted. */
  readonly rootfs: string;
  readonly config: ImageConfig;
}

export interface ImageConfig {
  readonly User?: string;
  readonly Env?: readonly string[];
  readonly Entrypoint?: readonly string[];
  readonly Cmd?: readonly string[];
  readonly WorkingDir?: string;
  readonly Labels?: Readonly<Record<string, string>>;
  readonly StopSignal?: string;
  readonly Healthcheck?: { readonly Test: readonly string[] };
}

export interface ImageStore {
  build(target: 'proxy' | 'admin'): Promise<Image>;
  remove(): Promise<void>;
}

/** Programs without which nothing can be built; empty if all are there. */
export function missingTools(): readonly string[] {
  return ['buildah', 'runc', 'mmdebstrap'].filter((name) => Bun.which(name) === null);
}

/** Makes the base images in `folder`. */
export async function openImageStore(folder: string): Promise<ImageStore> {
  const places = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')];
  const buildah = (...args: readonly string[]) => run(['buildah', ...places, ...args]);

  const makeBases = async () => {
    const archive = join(folder, 'debian.tar');
    const include = '--include=ca-certificates,libstdc++6';
    await run(['mmdebstrap', '--variant=essential', '--quiet', include, 'bookworm', archive]);
    const container = await buildah('from', '--name', 'base', 'scratch');
    await buildah('add', '--quiet', container, archive, '/');
    await buildah('commit', '--quiet', container, 'base');
    const npm = join(dirname(await realpath(Bun.which('npm') ?? '')), '..');
    await buildah('copy', '--quiet', container, await realpath(Bun.which('node') ?? ''), '/usr/bin/node');
    await buildah('copy', '--quiet', container, npm, '/usr/lib/node_modules/npm');
    // Of a mirror of npm's registry.
    const authorities = process.env.NODE_EXTRA_CA_CERTS;
    if (authorities !== undefined) {
      await buildah('copy', '--quiet', container, authorities, '/etc/ssl/authorities.pem');
      await buildah('config', '--env', 'NODE_EXTRA_CA_CERTS=/etc/ssl/authorities.pem', container);
    }
    await buildah(
      'run',
      '--isolation',
      'chroot',
      container,
      'ln',
      '-s',
      '/usr/lib/node_modules/npm/bin/npm-cli.js',
      '/usr/bin/npm',
    );
    await buildah('commit', '--quiet', '--rm', container, 'with-node');
  };

  await mkdir(folder, { recursive: true });
  await makeBases();
  return {
    build: async (target) => {
      const bases = ['--build-arg', 'BASE_IMAGE=localhost/base', '--build-arg', 'BUILD_IMAGE=localhost/with-node'];
      const labels = ['--build-arg', `VERSION=${version}`];
      const file = ['--file', join(root, 'deploy/Containerfile'), '--ignorefile', join(root, '.dockerignore')];
      const how = ['--isolation', 'chroot', '--network', 'host', '--pull-never', '--layers', '--format', 'docker'];
      await buildah(
        'build',
        '--quiet',
        ...how,
        ...bases,
        ...labels,
        ...file,
        '--target',
        target,
        '--tag',
        target,
        root,
      );
      const { Docker } = JSON.parse(await buildah('inspect', '--type', 'image', target));
      const container = await buildah('from', '--pull-never', '--name', `${target}-started`, target);
      return { rootfs: await buildah('mount', container), config: Docker.config };
    },
    remove: async () => {
      await buildah('umount', '--all');
      // buildah mounts this folder onto itself.
      Bun.spawnSync(['umount', join(folder, 'storage/overlay')], { stderr: 'ignore' });
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The command's output, or an error with its messages. */
async function run(command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], { stdout: 'pipe', stderr: 'pipe', stdin: 'ignore', timeout: stepTimeoutMs });
  const [printed, complaints] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) === 0) return printed.trim();
  throw new Error(`${command.join(' ')}:\n${printed.slice(-2_000)}${complaints.slice(-4_000)}`);
}
