/**
 * A form with files (`multipart/form-data`, RFC 7578), read while it arrives. The bytes of a file are copied once, to where they
 * stay; the body as a whole is never kept.
 */
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { GatewayError } from '../../errors.ts';

export interface FormFile {
  /** Of the field. */
  readonly field: string;
  readonly bytes: Uint8Array;
}

/** Takes the bytes of a file as they arrive. */
export interface FileSink {
  append(chunk: Uint8Array): void;
  /** All of them have been appended. */
  end(): void;
}

export interface Form {
  /** Those that are no files, in their order. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly files: readonly FormFile[];
}

export interface FormLimits {
  readonly files: number;
  /** Of one file. */
  readonly fileMaxBytes: number;
  /** Of the whole form. */
  readonly maxBytes: number;
}

const fieldsMax = 200;
const fieldMaxBytes = 256 * 1024;
const nameMaxLength = 256;
/** What a file is allocated where its size is not announced. */
const unannouncedBytes = 1024 * 1024;

/** The same for the same fields and files. */
export function digestOfForm({ fields, files }: Form): string {
  const digests = files.map(({ field, bytes }) => [
    field,
    new Bun.CryptoHasher('sha256').update(bytes).digest('base64'),
  ]);
  return JSON.stringify([fields, digests]);
}

export class FormReader {
  readonly #parser: BusboyInstance;
  readonly #fields: (readonly [string, string])[] = [];
  readonly #files: FormFile[] = [];
  readonly #finished = Promise.withResolvers<void>();
  #problem: GatewayError | undefined;

  /**
   * `announced` is the size of the whole body, 0 if it is not known. Files are kept in memory, unless `openFile` takes them.
   * Throws GatewayError `invalid_form`.
   */
  constructor(
    contentType: string | null,
    { files, fileMaxBytes, announced }: Omit<FormLimits, 'maxBytes'> & { announced: number },
    openFile?: (field: string, filename: string) => FileSink,
  ) {
    if (contentType === null || !/^multipart\/form-data\s*;/i.test(contentType)) throw notAForm();
    this.#parser = openParser(contentType, { files, fileSize: fileMaxBytes });
    this.#parser.on('field', (name: string | undefined, value, _, valueTruncated) => {
      if (name === undefined) this.#fail(malformed('a field has no name'));
      else if (name.length > nameMaxLength) this.#fail(malformed('the name of a field is too long'));
      else if (valueTruncated) this.#fail(tooLong(name, fieldMaxBytes));
      else this.#fields.push([name, value]);
    });
    const open = openFile ?? this.#keeping(announced > 0 ? Math.min(announced, fileMaxBytes) : unannouncedBytes);
    this.#parser.on('file', (field: string | undefined, stream, filename: string | undefined) => {
      const sink = open(field ?? '', filename ?? '');
      stream.on('data', (chunk: Uint8Array) => sink.append(chunk));
      stream.on('limit', () => this.#fail(tooLong(field ?? '', fileMaxBytes)));
      stream.on('end', () => sink.end());
      stream.on('error', () => this.#fail(malformed('a file is incomplete')));
    });
    for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
      this.#parser.on(limit, () => this.#fail(malformed('it has too many fields or files')));
    }
    this.#parser.on('error', () => this.#fail(malformed('its parts cannot be told apart')));
    this.#parser.on('finish', () => this.#finished.resolve());
  }

  /** Throws GatewayError `invalid_form` or `invalid_parameter`. */
  push(chunk: Uint8Array): void {
    this.#parser.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    if (this.#problem !== undefined) throw this.#problem;
  }

  /** The whole form. Rejects as `push` throws. */
  async end(): Promise<Form> {
    this.#parser.end();
    await this.#finished.promise;
    if (this.#problem !== undefined) throw this.#problem;
    return { fields: this.#fields, files: this.#files };
  }

  #keeping(expectedBytes: number): (field: string) => FileSink {
    return (field) => {
      const bytes = new GrowingBytes(expectedBytes);
      return {
        append: (chunk) => bytes.append(chunk),
        end: () => void this.#files.push({ field, bytes: bytes.taken }),
      };
    };
  }

  #fail(problem: GatewayError): void {
    this.#problem ??= problem;
    this.#finished.resolve();
  }
}

function openParser(contentType: string, limits: { files: number; fileSize: number }): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: { ...limits, fields: fieldsMax, fieldSize: fieldMaxBytes },
    });
  } catch {
    throw malformed('its Content-Type has no boundary');
  }
}

/** Grows where the size was not announced. */
class GrowingBytes {
  #buffer: Buffer;
  #length = 0;

  constructor(expectedBytes: number) {
    this.#buffer = Buffer.allocUnsafeSlow(expectedBytes);
  }

  /** Of several files, each was expected to be the largest: what it does not take is given back. */
  get taken(): Uint8Array {
    const bytes = this.#buffer.subarray(0, this.#length);
    return this.#length * 2 < this.#buffer.length ? Uint8Array.from(bytes) : bytes;
  }

  append(chunk: Uint8Array): void {
    const length = this.#length + chunk.byteLength;
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#buffer.length));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    this.#buffer.set(chunk, this.#length);
    this.#length = length;
  }
}

export function notAForm(): GatewayError {
  return new GatewayError('invalid_form', 'The request body must be multipart/form-data.');
}

function malformed(why: string): GatewayError {
  return new GatewayError('invalid_form', `The request body is not a valid form: ${why}.`);
}

function tooLong(field: string, maxBytes: number): GatewayError {
  return new GatewayError('body_too_large', `'${field}' is larger than ${maxBytes} bytes.`, { param: field });
}
