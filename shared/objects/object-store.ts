/**
 * Where objects are kept that outlive every process: a folder that all replicas share, or a bucket. An object is written whole
 * or not at all, is readable as soon as it is committed, and never changes in part.
 */
import { GatewayError } from '../errors.ts';

/** Names are paths: parts of letters, digits and `-_,.`, separated by slashes. None begins with a dot. */
export interface ObjectStore {
  create(name: string): Promise<ObjectWriter>;
  /** Undefined if there is no such object. Chunks have any size, and are valid until the next one is read. */
  read(name: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** In bytes; undefined if there is no such object. */
  size(name: string): Promise<number | undefined>;
  /** The bytes from `start` up to `end`, exclusive. Rejects if the object does not have them. */
  readRange(name: string, range: ByteRange): Promise<Uint8Array<ArrayBuffer>>;
  /** The names that begin with this, sorted. A prefix ends with a slash, or continues the last part of names. */
  list(prefix: string): Promise<string[]>;
  /** Does nothing if there is no such object. */
  remove(name: string): Promise<void>;
  /** Removes what writers that were never committed have left, if it is older than a day. */
  tidy(): Promise<void>;
}

export interface ByteRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** If a call rejects, it is unknown whether the object exists, until it is read. */
export interface ObjectWriter {
  /** Resolves once more can be taken: the chunk may be overwritten then. */
  write(chunk: Uint8Array): Promise<void>;
  /** Once it resolves, the object survives the loss of power. */
  commit(): Promise<void>;
  /** Nothing is left of it. Never rejects. */
  abort(): Promise<void>;
}

const namePattern = /^[\w-][\w,.-]*(?:\/[\w-][\w,.-]*)*$/;

/** Names are made of ids that were checked before: any other one is a mistake in the program. */
export function assertName(name: string): void {
  if (!namePattern.test(name)) throw new Error(`not the name of an object: ${name}`);
}

/** What a read of a range brings. */
export function assertWhole(name: string, bytes: Uint8Array, { start, end }: ByteRange): void {
  if (bytes.byteLength === end - start) return;
  const message = `${name} has ${bytes.byteLength} bytes from ${start} on, and not ${end - start}`;
  throw Object.assign(new Error(message), { code: 'EIO' });
}

/** The storage has failed, and not the program: errors of file systems and of S3 have a code. */
export function isStorageFailure(error: unknown): boolean {
  return error instanceof Error && !(error instanceof GatewayError) && 'code' in error;
}
