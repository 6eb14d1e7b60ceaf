/**
 * The files of organizations. A file is two objects: its content, and then a description, which makes it exist:
 *
 *   content/<account>/<file id>
 *   files/<account>/<file id>,<purpose>,<bytes>,<expires at>      name of the file and when it was made
 *
 * What lists, limits and the daily sweep look at is in the name, so they open nothing. Ids are in the order of creation.
 */
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { GatewayError } from '../../shared/errors.ts';
import type { SealedObjects } from './sealed-objects.ts';

export const filePurposes = ['batch', 'batch_output'] as const;
export type FilePurpose = (typeof filePurposes)[number];

/** Of a batch's input, as at OpenAI. */
export const fileMaxBytes = 200 * 1024 * 1024;
export const fileLifeSeconds = 30 * 24 * 60 * 60;
export const filesMax = 2_000;
export const filenameMaxLength = 255;

export interface ListedFile {
  readonly id: string;
  readonly accountId: number;
  readonly purpose: FilePurpose;
  readonly bytes: number;
  /** Unix time in seconds. */
  readonly expiresAt: number;
}

/** Written by this version or another one; unknown members are ignored. */
const descriptionSchema = Type.Object({ filename: Type.String(), createdAt: Type.Integer() });

const description = TypeCompiler.Compile(descriptionSchema);

export type StoredFile = ListedFile & Readonly<Static<typeof descriptionSchema>>;

export type NewFile = Pick<StoredFile, 'purpose' | 'filename' | 'createdAt' | 'expiresAt'>;

/** A file that is being written. It exists once it is kept. */
export interface OpenFile {
  readonly bytes: number;
  write(chunk: Uint8Array): Promise<void>;
  keep(file: NewFile): Promise<StoredFile>;
  /** Never rejects. */
  drop(): Promise<void>;
}

/** A content without a description may be one whose description is about to be written. */
const contentWaitsMs = 24 * 60 * 60 * 1_000;

export class Files {
  readonly #objects: SealedObjects;
  readonly #maxBytes: number;

  /** `maxBytes` is the limit for all files of one organization. */
  constructor(objects: SealedObjects, { maxBytes }: { readonly maxBytes: number }) {
    this.#objects = objects;
    this.#maxBytes = maxBytes;
  }

  /** Throws GatewayError `too_many_files` if the organization cannot store another file of this size. */
  async checkRoom(accountId: number, bytes: number): Promise<void> {
    this.#refuseMore(await this.list(accountId), bytes);
  }

  /**
   * Uploads that end together each have room, and not all of them. So one that is kept is removed again if there is too much now.
   * Throws GatewayError `too_many_files`.
   */
  async refuseExcess(kept: ListedFile): Promise<void> {
    try {
      // As if it were not there yet.
      const others = (await this.list(kept.accountId)).filter(({ id }) => id !== kept.id);
      this.#refuseMore(others, kept.bytes);
    } catch (error) {
      await this.remove(kept);
      throw error;
    }
  }

  #refuseMore(files: readonly ListedFile[], bytes: number): void {
    const stored = files.reduce((sum, file) => sum + file.bytes, 0);
    if (files.length >= filesMax) throw tooManyFiles(`${filesMax} files`);
    if (stored + bytes > this.#maxBytes) throw tooManyFiles(`${this.#maxBytes} bytes of files`);
  }

  /** Another file with this id is replaced. */
  async create(accountId: number, id: string): Promise<OpenFile> {
    const objects = this.#objects;
    const writer = await objects.create(contentName(accountId, id));
    let bytes = 0;
    return {
      get bytes() {
        return bytes;
      },
      write: (chunk) => {
        bytes += chunk.byteLength;
        return writer.write(chunk);
      },
      keep: async ({ filename, createdAt, ...listed }) => {
        await writer.commit();
        const file = { ...listed, id, accountId, bytes };
        await objects.writeText(nameOf(file), JSON.stringify({ filename, createdAt }));
        return { ...file, filename, createdAt };
      },
      drop: () => writer.abort(),
    };
  }

  /** In the order of creation. Those that have expired are not among them. */
  async list(accountId: number): Promise<ListedFile[]> {
    return notExpired((await this.#objects.list(`files/${accountId}/`)).flatMap(readName));
  }

  async describe(file: ListedFile): Promise<StoredFile | undefined> {
    const text = await this.#objects.readText(nameOf(file));
    if (text === undefined) return undefined;
    const described: unknown = JSON.parse(text);
    if (!description.Check(described)) throw new Error(`the description of ${file.id} cannot be read`);
    return { ...file, ...described };
  }

  /** Undefined if there is none, or none any more. */
  async find(accountId: number, id: string): Promise<StoredFile | undefined> {
    if (!isFileId(id)) return undefined;
    const names = await this.#objects.list(`files/${accountId}/${id},`);
    const [file] = notExpired(names.flatMap(readName));
    return file && this.describe(file);
  }

  /** Its bytes, as they are read; undefined if they have just been removed. */
  content({ accountId, id }: ListedFile): Promise<AsyncIterable<Uint8Array> | undefined> {
    return this.#objects.read(contentName(accountId, id));
  }

  async remove(file: ListedFile): Promise<void> {
    await this.#objects.remove(nameOf(file));
    await this.#objects.remove(contentName(file.accountId, file.id));
  }

  /** Removes what has expired, and contents that never became files. Any number of replicas may do it at the same time. */
  async sweep(nowMs: number): Promise<void> {
    const files = (await this.#objects.list('files/')).flatMap(readName);
    for (const file of files) if (hasExpired(file, nowMs)) await this.remove(file);
    const described = new Set(files.map(({ accountId, id }) => contentName(accountId, id)));
    for (const name of await this.#objects.list('content/')) {
      if (!described.has(name) && nowMs - madeAtMs(name) > contentWaitsMs) await this.#objects.remove(name);
    }
  }
}

/** In the order of their creation: it begins with the time. */
export function newFileId(): string {
  return fileIdOf(Bun.randomUUIDv7());
}

/** The same for the same UUIDv7. */
export function fileIdOf(uuid: string): string {
  return `file-${uuid.replaceAll('-', '')}`;
}

export function isFileId(id: string): boolean {
  return /^file-[0-9a-f]{32}$/.test(id);
}

export function fileNotFound(id: string): GatewayError {
  return new GatewayError('not_found', `There is no file '${id}'.`);
}

export function tooManyFiles(most: string): GatewayError {
  return new GatewayError(
    'too_many_files',
    `An organization may store ${most}. Delete files that are no longer needed; the others are deleted after 30 days.`,
  );
}

function contentName(accountId: number, id: string): string {
  return `content/${accountId}/${id}`;
}

function nameOf({ accountId, id, purpose, bytes, expiresAt }: ListedFile): string {
  return `files/${accountId}/${id},${purpose},${bytes},${expiresAt}`;
}

/** Empty for a name that this version does not know. */
function readName(name: string): ListedFile[] {
  const [, account, id = '', word, bytes, expiresAt] =
    /^files\/(\d+)\/(file-[0-9a-f]{32}),(\w+),(\d+),(\d+)$/.exec(name) ?? [];
  const purpose = filePurposes.find((each) => each === word);
  if (purpose === undefined) return [];
  return [{ id, accountId: Number(account), purpose, bytes: Number(bytes), expiresAt: Number(expiresAt) }];
}

function notExpired(files: ListedFile[]): ListedFile[] {
  const nowMs = Date.now();
  return files.filter((file) => !hasExpired(file, nowMs));
}

function hasExpired({ expiresAt }: ListedFile, nowMs: number): boolean {
  return expiresAt * 1_000 <= nowMs;
}

/** The time in the id, which is a UUIDv7 (RFC 9562 §5.7). */
function madeAtMs(name: string): number {
  const [, time = ''] = /file-([0-9a-f]{12})/.exec(name) ?? [];
  return Number.parseInt(time, 16);
}
