/**
 * Objects in a bucket of an S3-compatible service, through Bun's client. A small object is one PUT, a large one an upload in
 * parts. What was aborted is completed and deleted: Bun's client cannot abandon an upload.
 */
import type { Bucket } from '../config/object-place.ts';
import { assertName, assertWhole, type ByteRange, type ObjectStore, type ObjectWriter } from './object-store.ts';

/** The smallest that services take; so much of an object is in memory, twice while it is sent. */
const partBytes = 5 * 1024 * 1024;
const partsAtOnce = 1;
const retries = 3;
/** For one call that moves at most a part. */
const callTimeoutMs = 60_000;
const listedAtOnce = 1_000;
const missingCodes = ['NoSuchKey', 'FileNotFound'];

export class S3Store implements ObjectStore {
  readonly #client: Bun.S3Client;
  readonly #prefix: string;

  constructor({ prefix, ...bucket }: Bucket) {
    this.#client = new Bun.S3Client(bucket);
    this.#prefix = prefix;
  }

  async create(name: string): Promise<ObjectWriter> {
    assertName(name);
    return new S3Writer(this.#client, this.#prefix + name);
  }

  async read(name: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    assertName(name);
    const chunks = this.#client
      .file(this.#prefix + name)
      .stream()
      [Symbol.asyncIterator]();
    // Whether it exists is known with its first bytes.
    const first = await inTime(chunks.next()).catch(ignoringMissing);
    return first && chunksOf(chunks, first);
  }

  async size(name: string): Promise<number | undefined> {
    assertName(name);
    const found = await inTime(this.#client.stat(this.#prefix + name)).catch(ignoringMissing);
    return found?.size;
  }

  async readRange(name: string, range: ByteRange): Promise<Uint8Array<ArrayBuffer>> {
    assertName(name);
    const part = this.#client.file(this.#prefix + name).slice(range.start, range.end);
    const bytes = new Uint8Array(await inTime(part.arrayBuffer()));
    assertWhole(name, bytes, range);
    return bytes;
  }

  async list(prefix: string): Promise<string[]> {
    const names: string[] = [];
    let continuationToken: string | undefined;
    do {
      const page = await inTime(
        this.#client.list({
          prefix: this.#prefix + prefix,
          maxKeys: listedAtOnce,
          ...(continuationToken !== undefined && { continuationToken }),
        }),
      );
      for (const { key } of page.contents ?? []) names.push(key.slice(this.#prefix.length));
      continuationToken = page.isTruncated === true ? page.nextContinuationToken : undefined;
    } while (continuationToken !== undefined);
    return names.sort();
  }

  async remove(name: string): Promise<void> {
    assertName(name);
    await inTime(this.#client.delete(this.#prefix + name));
  }

  /** The service keeps nothing of an object that was not completed where its bucket has a rule for that. */
  async tidy(): Promise<void> {}
}

class S3Writer implements ObjectWriter {
  readonly #client: Bun.S3Client;
  readonly #key: string;
  /** Only once there is more than a part: anything smaller is one PUT. */
  #parts: Bun.NetworkSink | undefined;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;

  constructor(client: Bun.S3Client, key: string) {
    this.#client = client;
    this.#key = key;
  }

  async write(chunk: Uint8Array): Promise<void> {
    // It may be overwritten once this has resolved. The `slice` of a Buffer is not a copy.
    this.#waiting.push(Uint8Array.from(chunk));
    this.#waitingBytes += chunk.byteLength;
    if (this.#waitingBytes < partBytes) return;
    this.#parts ??= this.#client
      .file(this.#key)
      .writer({ partSize: partBytes, queueSize: partsAtOnce, retry: retries });
    this.#parts.write(this.#taken());
    await inTime(Promise.resolve(this.#parts.flush()));
  }

  async commit(): Promise<void> {
    if (this.#parts === undefined) {
      await inTime(this.#client.write(this.#key, this.#taken(), { retry: retries }));
      return;
    }
    this.#parts.write(this.#taken());
    await inTime(Promise.resolve(this.#parts.end()));
  }

  async abort(): Promise<void> {
    this.#waiting = [];
    if (this.#parts === undefined) return;
    await inTime(Promise.resolve(this.#parts.end())).catch(() => {});
    await inTime(this.#client.delete(this.#key)).catch(() => {});
  }

  #taken(): Uint8Array {
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    return bytes;
  }
}

async function* chunksOf(
  chunks: AsyncIterator<Uint8Array>,
  first: IteratorResult<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    for (let next = first; next.done !== true; next = await inTime(chunks.next())) yield next.value;
  } finally {
    await chunks.return?.();
  }
}

function ignoringMissing(error: unknown): undefined {
  const isMissing = error instanceof Error && 'code' in error && missingCodes.includes(String(error.code));
  if (!isMissing) throw error;
}

async function inTime<Value>(call: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(timedOut()), callTimeoutMs);
  try {
    return await Promise.race([call, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function timedOut(): Error {
  return Object.assign(new Error('the object storage did not respond in time'), { code: 'ETIMEDOUT' });
}
