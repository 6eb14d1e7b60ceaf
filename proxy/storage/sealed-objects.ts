/**
 * Objects encrypted at rest, in segments, so that one of any size is written and read in little memory (AES-256-GCM, as STREAM:
 * Hoang, Reyhanitabar, Rogaway, Vizár, 2015).
 *
 *   header   `MGO1`, mark of the secret (8 bytes), salt (16 bytes)
 *   segment  64 KiB of content, the last one shorter or empty, each with its tag (16 bytes)
 *
 * The key is HKDF-SHA-256 of the secret, with the salt, for the name of the object: an object in the place of another cannot be
 * read. A segment's nonce is its number and whether it is the last: none can be missing, added, repeated or moved.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Secrets } from '../../shared/config/environment.ts';
import type { ObjectStore, ObjectWriter } from '../../shared/objects/object-store.ts';

const magic = Buffer.from('MGO1');
const markBytes = 8;
const saltBytes = 16;
const headerBytes = magic.length + markBytes + saltBytes;
const segmentBytes = 64 * 1024;
const tagBytes = 16;
const sealedBytes = segmentBytes + tagBytes;
const algorithm = 'aes-256-gcm';

/** It was changed, cut, moved or written with a secret that is no longer accepted. */
export class UnreadableObject extends Error {
  override readonly name = 'UnreadableObject';
}

/** Its end is missing, as if its writer had died, or was changed. */
export class CutObject extends UnreadableObject {}

export class SealedObjects {
  readonly #store: ObjectStore;
  readonly #secrets: Secrets;

  /** New objects are sealed with the first of the secrets, and opened with any. */
  constructor(store: ObjectStore, secrets: Secrets) {
    this.#store = store;
    this.#secrets = secrets;
  }

  async create(name: string): Promise<ObjectWriter> {
    const [secret] = this.#secrets();
    if (secret === undefined) throw new Error('there is no secret to seal objects with');
    const salt = randomBytes(saltBytes);
    const writer = await this.#store.create(name);
    const sealing = new SealingWriter(writer, keyOf(secret, salt, name));
    try {
      await sealing.begin(Buffer.concat([magic, markOf(secret), salt]));
    } catch (error) {
      await writer.abort();
      throw error;
    }
    return sealing;
  }

  /** Undefined if there is no such object. The iteration throws UnreadableObject. */
  async read(name: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    const sealed = await this.#store.read(name);
    return sealed && this.#open(sealed, name);
  }

  async writeText(name: string, text: string): Promise<void> {
    const writer = await this.create(name);
    try {
      await writer.write(Buffer.from(text));
      await writer.commit();
    } catch (error) {
      await writer.abort();
      throw error;
    }
  }

  async readText(name: string): Promise<string | undefined> {
    const content = await this.read(name);
    return content && Buffer.concat(await Array.fromAsync(content)).toString();
  }

  list(prefix: string): Promise<string[]> {
    return this.#store.list(prefix);
  }

  remove(name: string): Promise<void> {
    return this.#store.remove(name);
  }

  async *#open(sealed: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
    let key: Buffer | undefined;
    let number = 0;
    // First of the header, then of one segment after the other: nothing else is allocated.
    const part = Buffer.alloc(sealedBytes);
    let filled = 0;
    for await (const chunk of sealed) {
      for (let at = 0; at < chunk.length; ) {
        const wanted = key === undefined ? headerBytes : sealedBytes;
        // A whole segment is the last one if nothing follows.
        if (key !== undefined && filled === wanted) {
          yield openSegment(part, { key, number, isLast: false, name });
          number += 1;
          filled = 0;
        }
        const taken = chunk.subarray(at, at + wanted - filled);
        part.set(taken, filled);
        filled += taken.length;
        at += taken.length;
        if (key === undefined && filled === headerBytes) {
          key = this.#keyOfHeader(part.subarray(0, headerBytes), name);
          filled = 0;
        }
      }
    }
    if (key === undefined) throw new CutObject(`${name} is cut`);
    const last = openSegment(part.subarray(0, filled), { key, number, isLast: true, name });
    if (last.length > 0) yield last;
  }

  #keyOfHeader(header: Buffer, name: string): Buffer {
    const mark = header.subarray(magic.length, magic.length + markBytes);
    const secret = this.#secrets().find((each) => markOf(each).equals(mark));
    if (!header.subarray(0, magic.length).equals(magic)) throw new UnreadableObject(`${name} is no sealed object`);
    if (secret === undefined) throw new UnreadableObject(`${name} was sealed with a secret that is not known`);
    return keyOf(secret, header.subarray(magic.length + markBytes), name);
  }
}

class SealingWriter implements ObjectWriter {
  readonly #writer: ObjectWriter;
  readonly #key: Buffer;
  readonly #segment = Buffer.alloc(segmentBytes);
  readonly #sealed = Buffer.alloc(sealedBytes);
  #filled = 0;
  #number = 0;

  constructor(writer: ObjectWriter, key: Buffer) {
    this.#writer = writer;
    this.#key = key;
  }

  begin(header: Uint8Array): Promise<void> {
    return this.#writer.write(header);
  }

  async write(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.byteLength; ) {
      // Whether a full segment is the last is known once more comes.
      if (this.#filled === segmentBytes) await this.#seal(false);
      const part = chunk.subarray(at, at + segmentBytes - this.#filled);
      this.#segment.set(part, this.#filled);
      this.#filled += part.byteLength;
      at += part.byteLength;
    }
  }

  async commit(): Promise<void> {
    await this.#seal(true);
    await this.#writer.commit();
  }

  abort(): Promise<void> {
    return this.#writer.abort();
  }

  async #seal(isLast: boolean): Promise<void> {
    const cipher = createCipheriv(algorithm, this.#key, nonceOf(this.#number, isLast));
    const content = cipher.update(this.#segment.subarray(0, this.#filled));
    cipher.final();
    const end = this.#filled;
    this.#sealed.set(content);
    this.#sealed.set(cipher.getAuthTag(), end);
    // The collector comes late for many large buffers.
    if (content.length === segmentBytes) (content.buffer as ArrayBuffer).transfer(0);
    this.#number += 1;
    this.#filled = 0;
    await this.#writer.write(this.#sealed.subarray(0, end + tagBytes));
  }
}

interface SealedSegment {
  readonly key: Buffer;
  readonly number: number;
  readonly isLast: boolean;
  readonly name: string;
}

function openSegment(sealed: Buffer, { key, number, isLast, name }: SealedSegment): Buffer {
  const end = sealed.length - tagBytes;
  if (end < 0) throw new CutObject(`${name} is cut`);
  const decipher = createDecipheriv(algorithm, key, nonceOf(number, isLast), { authTagLength: tagBytes });
  decipher.setAuthTag(sealed.subarray(end));
  const content = decipher.update(sealed.subarray(0, end));
  try {
    decipher.final();
  } catch (cause) {
    const Failure = isLast ? CutObject : UnreadableObject;
    throw new Failure(`${name} was changed or cut`, { cause });
  }
  return content;
}

function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(number, 5, 6);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

function keyOf(secret: string, salt: Uint8Array, name: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, `model gateway object ${name}`, 32));
}

/** Recognises a secret without disclosing it. */
function markOf(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'mark of the secret of objects', markBytes));
}
