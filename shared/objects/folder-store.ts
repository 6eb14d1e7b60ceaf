/**
 * Objects as files in a folder, on one machine or on a file system that all replicas share. A file is written beside the
 * others, synchronised, moved to its name, and its folder is synchronised: after a loss of power it is there whole or not at all.
 */
import { type FileHandle, mkdir, open, readdir, rename, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { assertName, assertWhole, type ByteRange, type ObjectStore, type ObjectWriter } from './object-store.ts';

/** Of files that are being written. No name of an object begins with a dot. */
const incoming = '.incoming';
const readBytes = 256 * 1024;
const abandonedMs = 24 * 60 * 60 * 1_000;
/** Another replica may remove a folder that has just become empty. */
const placingsMax = 5;

export class FolderStore implements ObjectStore {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async create(name: string): Promise<ObjectWriter> {
    assertName(name);
    await mkdir(join(this.#root, incoming), { recursive: true, mode: 0o700 });
    const path = join(this.#root, incoming, crypto.randomUUID());
    const file = await open(path, 'wx', 0o600);
    return new FolderWriter(file, { path, target: join(this.#root, name) });
  }

  async read(name: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    assertName(name);
    const path = join(this.#root, name);
    const found = await stat(path).catch(ignoring('ENOENT', 'ENOTDIR'));
    return found?.isFile() === true ? chunksOf(path) : undefined;
  }

  async size(name: string): Promise<number | undefined> {
    assertName(name);
    const found = await stat(join(this.#root, name)).catch(ignoring('ENOENT', 'ENOTDIR'));
    return found?.isFile() === true ? found.size : undefined;
  }

  async readRange(name: string, range: ByteRange): Promise<Uint8Array<ArrayBuffer>> {
    assertName(name);
    const file = await open(join(this.#root, name), 'r');
    try {
      const bytes = new Uint8Array(range.end - range.start);
      let read = 0;
      while (read < bytes.byteLength) {
        const { bytesRead } = await file.read(bytes, read, bytes.byteLength - read, range.start + read);
        if (bytesRead === 0) break;
        read += bytesRead;
      }
      assertWhole(name, bytes.subarray(0, read), range);
      return bytes;
    } finally {
      await file.close();
    }
  }

  async list(prefix: string): Promise<string[]> {
    const at = prefix.lastIndexOf('/') + 1;
    const folder = join(this.#root, prefix.slice(0, at));
    const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(
      ignoring('ENOENT', 'ENOTDIR'),
    );
    return (entries ?? [])
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(join(this.#root, sep).length).replaceAll(sep, '/'))
      .filter((name) => name.startsWith(prefix) && !name.startsWith(incoming))
      .sort();
  }

  async remove(name: string): Promise<void> {
    assertName(name);
    const path = join(this.#root, name);
    await unlink(path).catch(ignoring('ENOENT', 'ENOTDIR'));
    await removeEmpty(dirname(path), this.#root);
  }

  async tidy(): Promise<void> {
    const folder = join(this.#root, incoming);
    for (const name of (await readdir(folder).catch(ignoring('ENOENT'))) ?? []) {
      const path = join(folder, name);
      const found = await stat(path).catch(ignoring('ENOENT'));
      if (found !== undefined && Date.now() - found.mtimeMs > abandonedMs) await rm(path, { force: true });
    }
  }
}

class FolderWriter implements ObjectWriter {
  readonly #file: FileHandle;
  readonly #path: string;
  readonly #target: string;
  #isClosed = false;

  constructor(file: FileHandle, { path, target }: { readonly path: string; readonly target: string }) {
    this.#file = file;
    this.#path = path;
    this.#target = target;
  }

  async write(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.byteLength; ) {
      const { bytesWritten } = await this.#file.write(chunk, at, chunk.byteLength - at);
      at += bytesWritten;
    }
  }

  async commit(): Promise<void> {
    await this.#file.sync();
    await this.#close();
    await this.#place();
  }

  async abort(): Promise<void> {
    await this.#close().catch(() => {});
    await rm(this.#path, { force: true }).catch(() => {});
  }

  async #place(): Promise<void> {
    const folder = dirname(this.#target);
    for (let placings = 1; ; placings += 1) {
      const made = await mkdir(folder, { recursive: true, mode: 0o700 });
      const placed = await rename(this.#path, this.#target).then(
        () => true,
        (error: unknown) => {
          if (codeOf(error) === 'ENOENT' && placings < placingsMax) return false;
          throw error;
        },
      );
      if (!placed) continue;
      await synchronise(folder);
      // A new folder is an entry of the one above it.
      for (let child = folder; made !== undefined && child.length >= made.length; child = dirname(child)) {
        await synchronise(dirname(child));
      }
      return;
    }
  }

  async #close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#file.close();
  }
}

/** Opens it once it is read, so that nothing stays open that never is. */
async function* chunksOf(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path, 'r');
  const buffer = Buffer.allocUnsafeSlow(readBytes);
  try {
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, readBytes);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function synchronise(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function removeEmpty(folder: string, root: string): Promise<void> {
  for (let path = folder; path.length > join(root, sep).length; path = dirname(path)) {
    const isRemoved = await rmdir(path).then(
      () => true,
      () => false,
    );
    if (!isRemoved) return;
  }
}

function ignoring(...codes: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.includes(codeOf(error) ?? '')) throw error;
    return undefined;
  };
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
