/** Every kind of place where objects can be kept, empty, for tests that hold for each. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EnvironmentReader } from '../../../shared/config/environment.ts';
import { readFilesConfig } from '../../../shared/config/files.ts';
import { FolderStore } from '../../../shared/objects/folder-store.ts';
import type { ObjectStore } from '../../../shared/objects/object-store.ts';
import { S3Store } from '../../../shared/objects/s3-store.ts';
import { startS3Server } from './s3-server.ts';

export interface TestStore {
  readonly store: ObjectStore;
  /** How a program is configured to use it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Every byte that is kept, by name. */
  bytesAtRest(): Promise<Map<string, Uint8Array>>;
  /** As someone with access to the place would. */
  overwrite(name: string, bytes: Uint8Array): Promise<void>;
  remove(): Promise<void>;
}

export const filesSecret = 'a secret of files for tests, of 32 characters and more';

export const storeKinds = ['folder', 's3'] as const;

export async function openTestStore(kind: (typeof storeKinds)[number]): Promise<TestStore> {
  return kind === 'folder' ? openFolder() : openBucket();
}

async function openFolder(): Promise<TestStore> {
  const path = await mkdtemp(join(tmpdir(), 'gateway-files-'));
  return {
    store: new FolderStore(path),
    environment: { FILES_DIR: path, FILES_SECRET: filesSecret },
    bytesAtRest: async () => {
      const entries = await readdir(path, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
      // One that is being written may be gone by now.
      const read = files.map(
        async (file) => [file.slice(path.length + 1), await readFile(file).catch(() => {})] as const,
      );
      return new Map(
        (await Promise.all(read)).flatMap(([name, bytes]) => (bytes === undefined ? [] : [[name, bytes]])),
      );
    },
    overwrite: (name, bytes) => writeFile(join(path, name), bytes),
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

async function openBucket(): Promise<TestStore> {
  const server = startS3Server();
  const environment = { FILES_S3_URL: server.url, FILES_SECRET: filesSecret };
  const place = readFilesConfig(new EnvironmentReader(environment))?.place;
  if (place?.kind !== 's3') throw new Error('not a bucket');
  return {
    store: new S3Store(place.bucket),
    environment,
    bytesAtRest: async () => new Map([...server.objects].map(([key, bytes]) => [key.slice('gateway/'.length), bytes])),
    overwrite: async (name, bytes) => void server.objects.set(`gateway/${name}`, bytes),
    remove: () => server.stop(),
  };
}
