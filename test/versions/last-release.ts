/** The last release named in CHANGELOG.md, extracted from the repository's history into its own folder. */
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { $ } from 'bun';

const root = join(import.meta.dirname, '../..');
/** `## 0.1.0 (2026-11-22, commit 0123abc)` */
const heading = /^## (\d+\.\d+\.\d+) \([\d-]+, commit ([0-9a-f]{7,40})\)$/m;

export interface Release {
  readonly version: string;
  readonly commit: string;
}

/** Throws if the file names none. */
export async function findLastRelease(): Promise<Release> {
  const [, version, commit] = heading.exec(await Bun.file(join(root, 'CHANGELOG.md')).text()) ?? [];
  if (version === undefined || commit === undefined) throw new Error('CHANGELOG.md names no release with its commit');
  return { version, commit };
}

/** False in a copy without the history, such as a shallow clone or an archive. */
export async function hasHistory({ commit }: Release): Promise<boolean> {
  const { exitCode } = await $`git -C ${root} cat-file -e ${commit}^{commit}`.nothrow().quiet();
  return exitCode === 0;
}

export interface Checkout {
  readonly directory: string;
  remove(): Promise<void>;
}

/** Uses the packages that are installed here. */
export async function checkOut({ commit }: Release): Promise<Checkout> {
  const directory = join(await mkdtemp(join(tmpdir(), 'gateway-release-')), 'model-gateway');
  await mkdir(directory);
  await $`git -C ${root} archive ${commit} | tar -x -C ${directory}`.quiet();
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
  return { directory, remove: () => rm(join(directory, '..'), { recursive: true, force: true }) };
}
